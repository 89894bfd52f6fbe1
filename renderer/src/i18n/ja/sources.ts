import type { sources as source } from '../en/sources.ts';

export const sources: Record<keyof typeof source, string> = {
  'sources.lead':
    'モジュールの取得元となる Git リポジトリです。読み取るのはコミットだけで、作業コピーは読み取りません。',
  'sources.search': 'Source を検索',
  'sources.follows': '対象',
  'sources.status': '状態',
  'sources.newest': '最新のスナップショット',
  'sources.never': '未同期',
  'sources.empty.title': 'Source はまだありません',
  'sources.empty.text':
    'Git リポジトリの URL を貼り付けてモジュールをインストールすると、その Source がここに表示されます。',
  'sources.nothing.title': '該当する Source はありません',
  'sources.nothing.text': '名前にもアドレスにも一致するものがありません。',
  'sources.nothing.clear': 'すべて表示',

  'source.capsules': 'この Source の Capsule',
  'source.capsules.none': 'この Source を使用する Capsule はありません。',
  'source.capsules.ref': 'ref',
  'source.about': '概要',
  'source.address': 'アドレス',
  'source.name': '名前',
  'source.name.wrong': '名前は 1~120 文字で入力してください。',
  'source.ref': 'ブランチ、タグまたはコミット',
  'source.ref.wrong': 'Git で使えない ref です。HEAD は既定のブランチを表します。',
  'source.path': 'フォルダー',
  'source.path.wrong': 'リポジトリ内のフォルダー、または全体を表す「.」を入力してください。',
  'source.created': '追加',
  'source.edit': '編集',
  'source.edit.title': 'Source を編集',
  'source.enable': '有効にする',
  'source.disable': '無効にする',
  'source.delete': '削除…',
  'source.delete.title': '{name} を削除しますか？',
  'source.delete.text':
    'この Source からは何も取得していないため、ほかに削除されるものはありません。リポジトリは変更されません。',
  'source.delete.action': 'Source を削除',
  'source.sync': '今すぐ同期',
  'source.disabled.title': 'この Source は無効です',
  'source.disabled.text': '再び有効にするまで何も取得しません。Capsule は現在のコミットのままです。',

  'watch.title': '監視',
  'watch.auto': '自動同期',
  'watch.auto.text':
    '1 時間ごと、および Webhook の呼び出し時に同期します。上記の対象と、Capsule が使っているブランチやタグが対象です。',
  'watch.auto.off': 'この Source は無効なため、何も同期されません。',
  'watch.last': '最終確認',
  'hook.title': 'Webhook のアドレス',
  'hook.loopback':
    'このアドレスにはこのマシンからしか到達できません。外部の Git ホストには、ここにつながる公開アドレスが必要です。1 時間ごとの同期には不要です。',
  'hook.unwatched': '「自動同期」を有効にするまで、呼び出しても何も変わりません。',
  'hook.secret.kept': '呼び出しごとに、この Source のシークレットを確認します。封印して保管し、再表示はしません。',
  'hook.secret.title': 'Webhook シークレット',
  'hook.secret.once': '表示は今回だけです。今すぐコピーしてください。以前のシークレットは使えなくなりました。',
  'hook.secret.renew': '新しいシークレットを作成',
  'hook.renew.title': '新しい Webhook シークレットを作成しますか？',
  'hook.renew.text':
    '現在のシークレットはすぐに使えなくなります。使用中のすべての Webhook に新しいシークレットを設定してください。',
  'hook.how': 'Git ホストでの設定',
  'hook.github':
    'Settings、Webhooks、Add webhook の順に開きます。Payload URL: 上記のアドレス。Content type: application/json。Secret: Webhook シークレット。push イベントのみ。',
  'hook.gitlab':
    'Settings、Webhooks、Add new webhook の順に開きます。URL: 上記のアドレス。Secret token: Webhook シークレット。Trigger: push イベント、タグを対象にする場合は tag push イベントも選択します。',
  'hook.gitea':
    'Settings、Webhooks、Add webhook、Gitea の順に開きます。Target URL: 上記のアドレス。HTTP method: POST。Secret: Webhook シークレット。push イベントで実行します。',
  'hook.other': 'その他',
  'hook.other.text':
    '「Authorization: Bearer」ヘッダーにシークレットを付けて、このアドレスに POST します。呼び出しの内容は読みません。',

  'sync.title': '同期',
  'sync.queued': '同期は順番を待っています',
  'sync.running': '取得してモジュールを探しています',
  'sync.done': '最新です。最新のコミットは {commit} です。',
  'sync.cancelled': '同期はキャンセルされました。',
  'sync.failed': '前回の同期に失敗しました',
  'sync.see': '同期の Run を見る',

  'snapshots.title': 'スナップショット',
  'snapshots.none.title': '未同期',
  'snapshots.none.text': '今すぐ同期すると、最新のコミットを取得してモジュールを探します。',
  'snapshots.commit': 'コミット',
  'snapshots.run': '{commit} を取得した Run',

  'modules.title': 'モジュール',
  'modules.of': '{commit} 内',
  'modules.install': 'インストール',
  'modules.none':
    'このフォルダーにモジュール(.tf または .tofu ファイル)はありません。Source のフォルダーを編集してください。',
  'modules.noproviders': 'プロバイダー不要',
  'modules.moreproviders': '他 {count, number} 件',
  'modules.invalid': 'このスナップショットのモジュールを一覧できません',
  'modules.clean': '次のフォルダーは単独で使えます:',
  'modules.invalid.scan_unavailable': 'このスナップショットの情報がありません。もう一度同期してください。',
  'modules.invalid.scan_failed':
    'モジュールの検出に失敗したか、時間がかかりすぎました。もう一度同期するか、より小さいフォルダーを使ってください。',
  'modules.invalid.file_limit_exceeded': '構成ファイルが多すぎます。より小さいフォルダーを使ってください。',
  'modules.invalid.file_too_large': '大きすぎる構成ファイルがあります。それを含まないフォルダーを使ってください。',
  'modules.invalid.total_bytes_exceeded': '構成全体が大きすぎます。より小さいフォルダーを使ってください。',
  'modules.invalid.module_limit_exceeded': 'モジュールが多すぎます。より小さいフォルダーを使ってください。',
  'modules.invalid.configuration_invalid':
    '構成に誤りがあるか、外部のモジュールを呼び出しています。リポジトリで修正するか、それを含まないフォルダーを使ってください。',
};
