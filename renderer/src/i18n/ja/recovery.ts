import type { recovery as source } from '../en/recovery.ts';

export const recovery: Record<keyof typeof source, string> = {
  'recovery.title': '到達したところと、次にすること',
  'recovery.cause.failed':
    'ツールはすべての変更を行えずに停止しました。それまでに行われた変更はそのまま残り、元に戻されたものはありません。',
  'recovery.cause.asked':
    '人の求めにより適用は中断されました。それまでに行われた変更はそのまま残り、元に戻されたものはありません。',
  'recovery.cause.died':
    'クラッシュや停電などにより、ツールは作業の途中で外部から終了しました。それまでに行われた変更はそのまま残り、元に戻されたものはありません。',
  'recovery.cause.unsaved':
    'ツールが信頼できる state を残しませんでした。代わりに最新の正常な state を保存したため、実際より遅れている可能性があります。',
  'recovery.cause.lost':
    'Ground Control はツールを見失い、終わりまで追えませんでした。ツールが書いた最新の state を保存しました。',
  'recovery.cause.other':
    '適用は完了前に終了しました。それまでに行われた変更はそのまま残り、元に戻されたものはありません。',
  'recovery.kept':
    'StateVersion 世代 {generation} には{count, plural, =0 {リソースがありません} other {# 件のリソースがあります}}。新しいプランが確認されるまで、この Capsule には何も適用されません。',
  'recovery.kept.nothing': '新しいプランが確認されるまで、この Capsule には何も適用されません。',
  'recovery.reached': '到達したところ',
  'recovery.reached.nothing': '完了と報告された変更はありません。',
  'recovery.made': '作成済み',
  'recovery.changed': '変更済み',
  'recovery.destroyed': '削除済み',
  'recovery.unsettled': '開始済み、結果は不明',
  'recovery.unsettled.text':
    '結果が分からないものも state には記録されているため、次のプランがそれぞれの現状を読み取ります。',
  'recovery.more': '{count, plural, other {さらに # 件を表示}}',
  'recovery.steps': '次にすること',
  'recovery.certain':
    '不確かなものはありません。作成された可能性のあるものはすべて state に記録されています。もう一度プランし、残りを適用してください。',
  'recovery.look': '次のものが存在するか確認する',
  'recovery.look.text':
    'プロバイダーのコンソールや専用ツールで、一つずつ確認してください。state に記録がないため、プランだけでは見つけられません。',
  'recovery.uncertain': '{count, plural, other {state に記録のないリソースが # 件、存在する可能性があります}}',
  'recovery.unnamed': '{count, plural, other {ほかに # 件(ここには表示されません)}}',
  'recovery.filter': 'アドレスを検索',
  'recovery.filter.nothing': '該当するアドレスはありません。',
  'recovery.copyAll': 'すべての import ブロック',
  'recovery.blocks': '{count, plural, other {import ブロック # 件}}',
  'recovery.blockOf': '{address} の import ブロック',
  'recovery.grade.started': '開始済み、結果は不明',
  'recovery.grade.started.text':
    'ツールは作成を始めましたが、結果は報告されませんでした。全体または一部が存在する可能性があります。',
  'recovery.grade.completed': '作成の報告あり',
  'recovery.grade.completed.text':
    'ツールは作成したと報告しましたが、state に書く前に終了しました。おそらく存在します。',
  'recovery.grade.errored': '作成中に失敗',
  'recovery.grade.errored.text':
    'プロバイダーがエラーを返しました。多くの場合は何も作成されていませんが、タイムアウトやクラッシュの後には存在することがあります。',
  'recovery.grade.possible': '開始された可能性あり',
  'recovery.grade.possible.text':
    'この適用の記録に抜けがあり、開始されたかどうか分かりません。おそらく開始されていませんが、念のため確認してください。',
  'recovery.take': '存在するものを取り込む',
  'recovery.take.text':
    '存在するものは、その import ブロックをモジュールに貼り付け、実際の ID を書き込んでコミットします。次のプランは同じものをもう一つ作る代わりに、それを state に取り込みます。モジュールを変更できない場合は、プロバイダーのコンソールで手作業で削除してください。',
  'recovery.take.none': '存在しないものについては、何もする必要はありません。',
  'recovery.plan': 'もう一度プランする',
  'recovery.plan.text':
    'プランは state にあるものの現状を読み取り、残りの作業を示します。プランだけでは何も変わりません。',
  'recovery.plan.cause':
    'まず、上のメッセージが示す原因を直してください。プランは state にあるものの現状を読み取り、残りの作業を示します。プランだけでは何も変わりません。',
  'recovery.review': '確認して承認する',
  'recovery.review.text':
    'いつもどおり新しいプランを読み、適用してください。正常に終われば state は再び完全になり、この Capsule は通常の状態に戻ります。',
  'recovery.over': 'その後の適用が正常に終わっています。ここで必要な作業は残っていません。',
  'run.restarted': 'この適用の実行中に Ground Control が再起動されました。',
  'run.restarted.on': 'この適用の実行中に Ground Control が再起動されましたが、適用は続行しました。',
  'run.replaced': 'この適用のスーパーバイザーが失われ、別のスーパーバイザーに交代しました。',
  'run.replaced.on': 'この適用のスーパーバイザーが失われ、別のスーパーバイザーに交代しました。適用は続行しました。',
};
