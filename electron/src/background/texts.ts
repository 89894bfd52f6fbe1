import { app } from 'electron';
import { personalTexts } from '#shared/notifications/personal-texts';

const en = {
  open: 'Open Ground Control',
  running: (count: number) => (count === 1 ? '1 Run is going on' : `${count} Runs are going on`),
  waiting: (count: number) => (count === 1 ? '1 plan waits for you' : `${count} plans wait for you`),
  failed: (count: number) => (count === 1 ? '1 Capsule failed' : `${count} Capsules failed`),
  idle: 'Nothing needs your attention',
  sealed: 'The vault is sealed',
  recentCapsules: 'Recent Capsules',
  install: 'Install a module…',
  keepRunning: 'Keep Running When the Window Is Closed',
  startAtLogin: 'Start at Login',
  checkForUpdates: 'Look for Updates When It Starts',
  quit: 'Quit',
  notSaved: 'The setting was not saved',
  notSavedWhy: 'Check the free space and the permissions of this folder:',
  keepsRunning: 'Ground Control keeps running',
  keepsRunningWhy: 'Open or quit it from its icon in the notification area. The File menu changes this.',
  quitQuestion: 'Quit while Runs are going on?',
  quitWhy:
    'This system shows no icon for a desktop without a window. A running apply continues in its supervisor and is taken over at the next start. A plan is made again then.',
  minimize: 'Minimize',
  events: personalTexts.en,
};
export type BackgroundTexts = typeof en;

const ja: BackgroundTexts = {
  open: 'Ground Control を開く',
  running: (count) => `実行中の Run: ${count} 件`,
  waiting: (count) => `判断待ちのプラン: ${count} 件`,
  failed: (count) => `失敗した Capsule: ${count} 件`,
  idle: '対応が必要なものはありません',
  sealed: 'Vault が封印されています',
  recentCapsules: '最近の Capsule',
  install: 'モジュールをインストール…',
  keepRunning: 'ウインドウを閉じても実行を続ける',
  startAtLogin: 'ログイン時に起動',
  checkForUpdates: '起動時に更新を確認',
  quit: '終了',
  notSaved: '設定を保存できませんでした',
  notSavedWhy: '次のフォルダーの空き容量とアクセス権を確認してください:',
  keepsRunning: 'Ground Control は実行を続けます',
  keepsRunningWhy: '通知領域のアイコンから開くか終了できます。ファイルメニューで変更できます。',
  quitQuestion: 'Run の実行中に終了しますか?',
  quitWhy:
    'このシステムでは、ウインドウのないデスクトップのアイコンが表示されません。実行中の apply は supervisor で続き、次回の起動時に引き継がれます。プランは作り直されます。',
  minimize: '最小化',
  events: personalTexts.ja,
};

/** Texts of the tray and of notifications, in the system's language. */
export const backgroundTexts = (): BackgroundTexts => (app.getLocale().startsWith('ja') ? ja : en);
