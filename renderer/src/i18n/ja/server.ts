import type { server as source } from '../en/server.ts';

export const server: Record<keyof typeof source, string> = {
  'server.title': 'このサーバー',
  'server.version': 'バージョン',
  'server.tool': 'ツール',
  'server.tool.none': 'インストールされていません。ここではプランを作成できません',
  'server.sandbox': 'Run のサンドボックス',
  'server.sandbox.bwrap': 'Run の各コマンドは bubblewrap で隔離されます',
  'server.sandbox.none': 'なし。モジュールはサーバーの権限で実行されます',
  'server.network': 'Run のネットワーク',
  'server.network.isolated': 'このマシンから分離された専用のネットワーク',
  'server.network.shared': 'このマシンのネットワーク',
  'server.network.none': 'なし',
  'server.git': 'リポジトリ',
  'server.git.https': 'https',
  'server.git.loopback': 'このマシンの http',
  'server.git.file': 'このマシンのファイル',
  'server.signIn': 'サインイン',
  'server.signIn.link': '一回限りのリンク',
  'server.signIn.password': 'パスワード',
  'server.limits': '上限',
  'server.days': '{count, number} 日間',
  'server.hours': '{count, number} 時間',
  'server.limits.text':
    '同時に {side, number} 件の Run、Capsule ごとに待機 {waiting, number} 件、プランの有効期間 {time}、リポジトリは {size} まで',
  'server.health': '状態',
  'server.health.hidden': 'このサーバーは、自身のマシン上のプローブにだけ状態を伝えます。',
  'server.health.ledger': '台帳は開いています。',
  'server.health.ledger.bad': '台帳が開いていません。サーバーのログを確認してください。',
  'server.health.vault': '保管庫は開いています。',
  'server.health.vault.bad': '保管庫がロックされています。開くまで、シークレットを必要とする操作はできません。',
  'server.health.runner': 'ツールは応答しています。',
  'server.health.runner.bad':
    'ツールが応答しません。OpenTofu をインストールするか、GROUNDCTL_TOOL_PATH で指定してください。',
  'server.health.disk': 'ディスクに空きがあります。',
  'server.health.disk.bad':
    'ディスクの空きがほとんどありません。適用は始まりません。データフォルダーの空きを増やしてください。',
};
