import { personalTexts } from '#shared/notifications/personal-texts';
import type { notifications as source } from '../en/notifications.ts';

export const notifications: Record<keyof typeof source, string> = {
  'nav.waiting': '対応待ち {text} 件',
  'home.requested': 'レビューの依頼',
  'run.requestedBy': '{name} が承認を依頼',
  'run.request.button': '承認を依頼',
  'run.request.note': 'メモ(任意)',
  'run.request.done': '承認を依頼しました。判断できるオーナーと管理者に表示されます。',
  'notify.approval.requested': personalTexts.ja['approval.requested'],
  'notify.run.waiting': personalTexts.ja['run.waiting'],
  'notify.run.failed': personalTexts.ja['run.failed'],
  'notify.run.succeeded': personalTexts.ja['run.succeeded'],
  'notify.title': '通知',
  'notify.allow': '通知を許可',
  'notify.allowHelp': '別のページやアプリを使用している間、このブラウザーが次のイベントを通知します。',
  'notify.granted': 'ダッシュボードを開いている間、このブラウザーが次のイベントを通知します。',
  'notify.desktop': 'ウインドウを閉じている間も、デスクトップが次のイベントを通知します。',
  'notify.savedServer': 'このウインドウを開いている間、デスクトップが次のイベントを表示します。',
  'notify.denied': 'このブラウザーはこのページの通知をブロックしています。ブラウザーのサイト設定で許可してください。',
  'notify.unsupported': 'このブラウザーではここの通知を表示できません。https、またはこのマシン上のサーバーが必要です。',
  'notify.browser': 'ブラウザー',
  'notify.mail': 'メール',
  'notify.noMail':
    'メールは利用できません。このサーバーがメールを送信しないか、アカウントにメールアドレスがありません。',
  'notify.event.approval.requested': '自分に承認が依頼されたとき',
  'notify.event.run.waiting': '自分のプランが判断を待つとき',
  'notify.event.run.failed': '自分の Run が失敗したとき',
  'notify.event.run.succeeded': '自分の Run が成功したとき',
  'notify.event.backup_schedule.failed': '管理する Workspace のスケジュールバックアップが失敗・遅延・回復したとき',
  'notify.workspaces': 'Workspace',
  'notify.language': 'メールは、保存したときのこのページの言語で送られます。',
  'notify.save': '通知を保存',
  'notify.saved': '保存しました。',
  'enter.forgotten': 'パスワードを忘れた場合',
  'enter.reset.title': 'パスワードの再設定',
  'enter.reset.text':
    'アカウントのメールアドレスを入力してください。アカウントがあれば、5 分以内に 1 回だけサインインできるリンクをお送りします。',
  'enter.reset.do': 'リンクを送信',
  'enter.reset.done':
    'パスワードのあるアカウントのメールアドレスであれば、リンクをお送りします。5 分以内に開いてください。',
  'enter.reset.back': 'サインインに戻る',
};
