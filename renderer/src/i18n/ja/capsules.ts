import type { capsules as source } from '../en/capsules.ts';

export const capsules: Record<keyof typeof source, string> = {
  'capsules.lead': 'プランまたは適用したモジュールを、入力・state・履歴とともに表します。',
  'capsules.search': 'Capsule を検索',
  'capsules.status': '状態',
  'capsules.status.any': 'すべて',
  'capsules.gone': '削除・破棄済みも表示',
  'capsules.lastrun': '最新の Run',
  'capsules.norun': 'Run はまだありません',
  'capsules.when': '日時',
  'capsules.empty.title': 'Capsule はまだありません',
  'capsules.empty.text':
    'Git リポジトリの URL を貼り付けてください。何かが作られる前に、モジュールとプランを確認できます。',
  'capsules.nothing.title': '該当する Capsule はありません',
  'capsules.nothing.text': '名前・環境・状態に一致するものがありません。削除・破棄済みのものは最初は表示されません。',
  'capsules.nothing.sofar': '最初の {count} 件にはありません。',
  'capsules.nothing.clear': 'すべて表示',

  'capsule.about': '概要',
  'capsule.module': 'モジュール',
  'capsule.commit': 'コミット',
  'capsule.commit.none': '適用が完了したものはありません',
  'capsule.safety': '前回の適用',
  'capsule.check': 'チェック',
  'capsule.environment': '環境',
  'capsule.created': '作成',
  'safety.safe': '完了',
  'safety.safe.text': 'state は実際に存在するものと一致しています。',
  'safety.unknown': '未完了',
  'safety.unknown.text':
    '最後の適用が失敗または中断されたため、state に記録のないものが存在する可能性があります。その適用のページに確認すべきものが示されています。',

  'next.approve.title': 'プランがあなたの承認を待っています',
  'next.approve.text':
    '削除・置換・管理対象からの除外が含まれるか、ポリシーの警告があります。先に内容を確認してください:',
  'next.apply.title': 'プランを適用できます',
  'next.apply.text': 'レビューした内容がそのまま適用されます:',
  'next.review': 'プランをレビュー',
  'next.queued': '{type}は順番を待っています',
  'next.running': '{type}を実行中です',
  'next.watch': '進行状況を見る',
  'next.failed.title': '{type}に失敗しました',
  'next.see': 'Run を見る',
  'next.differences': '違いを見る',
  'next.recover': '到達したところと、次にすること',
  'next.form': 'フォームに戻る',
  'next.first.text':
    '何も作られていません。フォームで入力を修正するか、もう一度プランするか、この Capsule を破棄してください。',
  'capsule.updates': '更新',
  'capsule.auto': '自動で更新する',
  'capsule.auto.text':
    '監視中の Source に新しいコミットが届くとプランを作成します。削除がなく、ポリシーが確認を求めず、プロバイダーが同じで、新しいプログラムが実行されない場合に限り適用します。',
  'next.stale.title': '新しい変更があります',
  'next.stale.text':
    '新しいコミットが取得されたか、この Capsule の依存先が変わりました。もう一度プランすると影響を確認できます。',
  'next.error.title': 'この Capsule は対応が必要です',
  'next.error.text':
    '最後の適用は正常に終わりませんでした。そのページに、到達したところ、不確かなもの、次にすることが順に示されています。',
  'next.disabled.title': 'この Capsule は無効です',
  'next.disabled.text': 'サーバーの管理者が再び有効にするまで、プランはできません。',
  'next.destroyed.title': 'この Capsule は削除済みです',
  'next.destroyed.text': '作られたものは削除されました。履歴は残ります。',
  'next.discarded.title': 'この Capsule は破棄されました',
  'next.discarded.text': '一度も適用されていないため、実体はありません。名前は再び使えます。',
  'next.pending.title': '未適用',
  'next.pending.text':
    '最後のプランは適用されず、もう適用できません。もう一度プランするか、この Capsule を破棄してください。',

  'again.button': 'もう一度プラン',
  'again.button.title': '最新のコミットを取得し、チェックしてプランします',
  'again.same': '同じコミットでプラン',
  'again.same.title': '何も取得せずにプランします',
  'again.lane':
    'この Capsule は Source の既定とは別の ref またはフォルダーを使っているため、現在のコミットからプランします。その ref を取得するには Source を編集してください。',
  'again.title': '再プラン',
  'again.sync': 'Source の最新コミットを取得',
  'again.check': 'モジュールをチェック',
  'again.plan': 'プランをキューに追加',
  'again.asks.first': '最初のプランの前に、このマシンで何が実行されるかを確認してください。',
  'again.asks.new':
    'このコミットには、以前になかったコードまたはプロバイダーが含まれています。プランで何が実行されるかを確認してください。',
  'again.commit.new': '新しいコミット {commit}',
  'again.commit.same': '新しいコミットはありません。{commit} が適用済みです',
  'again.sync.failed': 'Source を取得できませんでした',
  'again.sync.cancelled': '同期はキャンセルされました',
  'again.sync.see': '同期の Run を見る',
  'again.findings':
    '{count, plural, other {# 件の問題があります}}。リポジトリのモジュールを修正してから、もう一度プランしてください。',

  'discard.button': '破棄',
  'discard.title': '「{name}」を破棄しますか？',
  'discard.text':
    '一度も適用されていないため、削除されるものはありません。プランは適用できなくなりますが、履歴は残り、名前は再び使えます。',

  'outputs.title': 'Output',
  'outputs.generation': '世代 {generation}',
  'outputs.none': 'このモジュールに Output はありません。',
  'outputs.hidden': '機密のため state に封印されています',

  'history.title': 'Run',
  'history.none': 'Run はまだありません。',
  'history.status': '状態',
  'history.changes': '変更',
  'history.who': '実行者',
  'history.when': '日時',
  'history.superseded': '置き換え済み',
  'history.applied': '適用済み',

  'states.title': 'StateVersion',
  'states.none': 'state はまだありません。',
  'states.generation': '世代 {generation}',
  'states.resources': '{count, plural, =0 {リソースなし} other {リソース # 件}}',
  'states.current': '現在',
  'states.partial': '途中',
  'states.partial.text': '適用が途中で停止しました。これはその時点までの state です。',
  'states.run': '世代 {generation} を作った Run',
};
