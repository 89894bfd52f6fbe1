import type { PackageOrigin } from './package-origin.ts';

/** Texts of the dialogs about updates. `{version}` stands for that of the release. */
export const updateTextsEn = {
  checkForUpdates: 'Check for Updates…',
  title: 'Updates',
  cannotCheck: 'The latest release is not known',
  noChannel: 'This package is not updated automatically',
  noChannelWhy: 'Get a newer version where you got this one, and install it over this one: data and keys stay.',
  origins: {
    signed: 'This package belongs to a signed release, and accepts only updates with the same signature.',
    unsigned: 'This package is not signed, so it names no releases.',
    sources: 'This is not a package: it was started from the sources.',
  } satisfies Record<PackageOrigin, string>,
  dataFolder: 'Data folder',
  current: 'This is the latest release',
  behindLedger: 'Version {version} cannot be installed',
  behindLedgerWhy: 'It is newer, but it cannot open the ledger of this version. Wait for the release after it.',
  waiting: 'Version {version} is not offered to this machine yet',
  waitingWhy: 'A release is offered to a few machines first, then to all. Check again in a few days.',
  otherUpdate: 'The update was refused',
  otherUpdateWhy: 'The offered files differ from the signed record of the release. Nothing was downloaded.',
  available: 'Version {version} is available',
  availableWhy: 'Download it? It is not installed before you say so.',
  download: 'Download',
  notes: 'Show the Notes',
  later: 'Later',
  downloadFailed: 'The update could not be downloaded',
  downloadFailedWhy: 'Nothing was installed. Check the network connection and the free disk space, then try again.',
  ready: 'Version {version} is ready to be installed',
  readyWhy:
    'The server stops, the ledger is copied, and Ground Control starts again with the new version. This takes a minute.',
  installNow: 'Install and Start Again',
  busy: 'The update waits for a Run',
  busyWhy:
    'The tool works for these Runs, and an installation could take files away from it: {runs}. Check for updates again when they have ended.',
  installFailed: 'The update was not installed',
};
export type UpdateTexts = typeof updateTextsEn;

export const updateTextsJa: UpdateTexts = {
  checkForUpdates: '更新を確認…',
  title: '更新',
  cannotCheck: '最新のリリースを確認できません',
  noChannel: 'このパッケージは自動では更新されません',
  noChannelWhy: '入手元から新しいバージョンを入手し、上書きインストールしてください。データと鍵は残ります。',
  origins: {
    signed: '署名されたリリースのパッケージです。同じ署名の更新だけを受け入れます。',
    unsigned: '署名されていないパッケージのため、リリースの情報を持っていません。',
    sources: 'パッケージではなく、ソースから起動しています。',
  },
  dataFolder: 'データフォルダー',
  current: '最新のリリースです',
  behindLedger: 'バージョン {version} はインストールできません',
  behindLedgerWhy: '新しいバージョンですが、現在の台帳を開けません。次のリリースをお待ちください。',
  waiting: 'バージョン {version} はこのマシンにはまだ提供されていません',
  waitingWhy: 'リリースは少数のマシンから順に提供されます。数日後にもう一度確認してください。',
  otherUpdate: '更新を拒否しました',
  otherUpdateWhy: '提供されたファイルが、リリースの署名付き記録と一致しません。何もダウンロードしていません。',
  available: 'バージョン {version} を利用できます',
  availableWhy: 'ダウンロードしますか?指示があるまでインストールしません。',
  download: 'ダウンロード',
  notes: 'リリースノートを表示',
  later: '後で',
  downloadFailed: '更新をダウンロードできませんでした',
  downloadFailedWhy: '何もインストールしていません。ネットワーク接続と空き容量を確認して、もう一度お試しください。',
  ready: 'バージョン {version} をインストールできます',
  readyWhy: 'サーバーを停止し、台帳をコピーしてから、新しいバージョンで再起動します。1 分ほどかかります。',
  installNow: 'インストールして再起動',
  busy: 'Run の終了を待っています',
  busyWhy:
    '次の Run でツールが動作中のため、インストールするとファイルが失われるおそれがあります: {runs}。終了後にもう一度更新を確認してください。',
  installFailed: '更新をインストールしませんでした',
};
