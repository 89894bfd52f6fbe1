import type { BackupEvent, MailLanguage, PersonalEvent } from '#shared/notifications/contract';
import type { PlanSummary } from '#shared/plans/summary';
import type { RunStatus, RunType } from '#shared/runs/contract';

/** Facts of a Run that a mail names. None of them is a value, a message of the tool, or a text that a person typed about the Run. */
export type MailedRun = {
  type: RunType;
  status: RunStatus;
  capsule: string;
  environment: string;
  workspace: string;
  /** Name of the person who asks for an approval. */
  requester: string;
  summary: PlanSummary | undefined;
  addresses: readonly string[];
  /** Number of addresses that are left out. */
  more: number;
  url: string;
  preferencesUrl: string;
};

type Texts = {
  subject: Record<PersonalEvent, (run: MailedRun) => string>;
  lead: Record<PersonalEvent, (run: MailedRun) => string>;
  /** Statements about the scheduled backups of a Workspace, which begin its mail and follow its name in the subject. */
  backup: Record<BackupEvent, string>;
  counts: (summary: PlanSummary) => string;
  more: (count: number) => string;
  open: string;
  footer: string;
  reset: { subject: string; text: (url: string) => string };
  test: { subject: string; text: string };
};

const nounsEn: Partial<Record<RunType, string>> = {
  plan: 'plan',
  destroy_plan: 'destroy plan',
  drift_check: 'drift check',
  apply: 'apply',
  destroy_apply: 'destroy',
};
const nounsJa: Partial<Record<RunType, string>> = {
  plan: 'プラン',
  destroy_plan: '破棄プラン',
  drift_check: 'ドリフト検査',
  apply: '適用',
  destroy_apply: '破棄',
};
const capsuleTextOf = ({ capsule, environment }: MailedRun): string =>
  environment === 'default' || environment === '' ? capsule : `${capsule} (${environment})`;

const en: Texts = {
  subject: {
    'approval.requested': (run) => `Approval requested: ${capsuleTextOf(run)}`,
    'late_state.arrived': (run) => `State arrived late: ${capsuleTextOf(run)}`,
    'run.waiting': (run) => `Plan waits: ${capsuleTextOf(run)}`,
    'run.failed': (run) => `Failed: ${nounsEn[run.type] ?? 'Run'} of ${capsuleTextOf(run)}`,
    'run.succeeded': (run) => `Succeeded: ${nounsEn[run.type] ?? 'Run'} of ${capsuleTextOf(run)}`,
  },
  lead: {
    'approval.requested': (run) =>
      `${run.requester} asks for your review of a ${nounsEn[run.type] ?? 'Run'} of the Capsule ${capsuleTextOf(run)} in the Workspace ${run.workspace}.`,
    'late_state.arrived': (run) =>
      `The machine of an ended ${nounsEn[run.type] ?? 'Run'} of the Capsule ${capsuleTextOf(run)} in the Workspace ${run.workspace} came back and brought the state that it reached. An owner or admin adopts or dismisses it. Decide before the next plan, which would be based on the older state.`,
    'run.waiting': (run) =>
      `Your ${nounsEn[run.type] ?? 'Run'} of the Capsule ${capsuleTextOf(run)} in the Workspace ${run.workspace} waits for a decision.`,
    'run.failed': (run) =>
      `Your ${nounsEn[run.type] ?? 'Run'} of the Capsule ${capsuleTextOf(run)} in the Workspace ${run.workspace} has failed.`,
    'run.succeeded': (run) =>
      `Your ${nounsEn[run.type] ?? 'Run'} of the Capsule ${capsuleTextOf(run)} in the Workspace ${run.workspace} has succeeded.`,
  },
  backup: {
    'backup_schedule.failed': 'A scheduled backup failed. The server tries it again.',
    'backup_schedule.overdue': 'No scheduled backup was stored for more than a day.',
    'backup_schedule.recovered': 'Scheduled backups work again.',
  },
  counts: ({ add, change, destroy }) => `${add} to create, ${change} to update, ${destroy} to destroy.`,
  more: (count) => `and ${count} more`,
  open: 'Open it:',
  footer: 'Choose what you are notified of:',
  reset: {
    subject: 'Sign in and set a new password',
    text: (url) =>
      `Someone asked for a new password of your account. If it was you, open this link within five minutes. It works once. Then set a new password on the page of your account.\n\n${url}\n\nIf it was not you, ignore this mail. Your password stays as it is.`,
  },
  test: { subject: 'Test of mail', text: 'This mail shows that Ground Control can send mail with its settings.' },
};

const ja: Texts = {
  subject: {
    'approval.requested': (run) => `承認の依頼: ${capsuleTextOf(run)}`,
    'late_state.arrived': (run) => `遅れて届いた state: ${capsuleTextOf(run)}`,
    'run.waiting': (run) => `確認待ちのプラン: ${capsuleTextOf(run)}`,
    'run.failed': (run) => `失敗: ${capsuleTextOf(run)} の${nounsJa[run.type] ?? 'Run'}`,
    'run.succeeded': (run) => `成功: ${capsuleTextOf(run)} の${nounsJa[run.type] ?? 'Run'}`,
  },
  lead: {
    'approval.requested': (run) =>
      `${run.requester} さんが、Workspace ${run.workspace} の Capsule ${capsuleTextOf(run)} の${nounsJa[run.type] ?? 'Run'}について確認を依頼しています。`,
    'late_state.arrived': (run) =>
      `Workspace ${run.workspace} の Capsule ${capsuleTextOf(run)} で終了した${nounsJa[run.type] ?? 'Run'}のマシンが復帰し、到達した時点の state を送りました。オーナーか管理者が採用または却下します。次のプランは古い state に基づくため、その前に判断してください。`,
    'run.waiting': (run) =>
      `Workspace ${run.workspace} の Capsule ${capsuleTextOf(run)} の${nounsJa[run.type] ?? 'Run'}が判断を待っています。`,
    'run.failed': (run) =>
      `Workspace ${run.workspace} の Capsule ${capsuleTextOf(run)} の${nounsJa[run.type] ?? 'Run'}が失敗しました。`,
    'run.succeeded': (run) =>
      `Workspace ${run.workspace} の Capsule ${capsuleTextOf(run)} の${nounsJa[run.type] ?? 'Run'}が成功しました。`,
  },
  backup: {
    'backup_schedule.failed': 'スケジュールバックアップに失敗しました。サーバーが再試行します。',
    'backup_schedule.overdue': '1 日以上、スケジュールバックアップが保存されていません。',
    'backup_schedule.recovered': 'スケジュールバックアップが再び成功しました。',
  },
  counts: ({ add, change, destroy }) => `作成 ${add} 件、更新 ${change} 件、破棄 ${destroy} 件。`,
  more: (count) => `ほか ${count} 件`,
  open: '開く:',
  footer: '通知の設定:',
  reset: {
    subject: 'サインインして新しいパスワードを設定してください',
    text: (url) =>
      `あなたのアカウントの新しいパスワードが依頼されました。ご自身による依頼であれば、5 分以内に次のリンクを開いてください。リンクは 1 回だけ使えます。その後、アカウントのページで新しいパスワードを設定してください。\n\n${url}\n\n心当たりがない場合は、このメールを無視してください。パスワードは変わりません。`,
  },
  test: {
    subject: 'メールのテスト',
    text: 'このメールは、Ground Control が現在の設定でメールを送信できることを示します。',
  },
};

const texts: Readonly<Record<MailLanguage, Texts>> = { en, ja };

/** Replaces control and direction characters, and limits the length: names come from people and repositories. */
export const plainName = (text: string, most = 120): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};

export function runMail(
  event: PersonalEvent,
  run: MailedRun,
  language: MailLanguage,
): { subject: string; text: string } {
  const own = texts[language];
  const more = run.more > 0 ? [own.more(run.more)] : [];
  const parts = [
    own.lead[event](run),
    ...(run.summary ? [own.counts(run.summary)] : []),
    ...(run.addresses.length > 0 ? [[...run.addresses, ...more].map((one) => `  ${one}`).join('\n')] : []),
    `${own.open} ${run.url}`,
    `-- \n${own.footer} ${run.preferencesUrl}`,
  ];
  return { subject: own.subject[event](run), text: `${parts.join('\n\n')}\n` };
}

type MailedWorkspace = { workspace: string; url: string; preferencesUrl: string };

export function backupMail(
  event: BackupEvent,
  { workspace, url, preferencesUrl }: MailedWorkspace,
  language: MailLanguage,
) {
  const { backup, open, footer } = texts[language];
  const text = [backup[event], `Workspace: ${workspace}`, `${open} ${url}`, `-- \n${footer} ${preferencesUrl}`];
  return { subject: `${workspace}: ${backup[event]}`, text: `${text.join('\n\n')}\n` };
}

export const resetMail = (url: string, language: MailLanguage): { subject: string; text: string } => ({
  subject: texts[language].reset.subject,
  text: `${texts[language].reset.text(url)}\n`,
});

export const testMail = (language: MailLanguage): { subject: string; text: string } => ({
  subject: texts[language].test.subject,
  text: `${texts[language].test.text}\n`,
});
