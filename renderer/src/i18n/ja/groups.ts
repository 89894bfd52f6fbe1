import type { groups as en } from '../en/groups.ts';

export const groups: Record<keyof typeof en, string> = {
  'drift.check': 'ドリフトを確認',
  'drift.checkAll': 'すべてのドリフトを確認',
  'drift.found': '{count, number} 件のリソースが state と異なります',
  'drift.foundText':
    '外部から変更されています。この確認では何も変更していません。元に戻すには Capsule をプランするか、モジュールを実際の状態に合わせてください。',
  'drift.none': '違いはありません',
  'drift.noneText': 'すべてがこの Capsule の state のとおりです。',
  'drift.count': '{count, number} 件の違い',
  'drift.clean': 'ドリフトなし',
  'update.plan': 'すべての更新をプラン',
  'destroy.button': '削除…',
  'destroy.title': '{name} の削除をプランしますか？',
  'destroy.text':
    'この Capsule が作ったものをすべて削除するプランを作成します。誰かがそのプランを読んで承認するまで、何も削除されません。記録と state は残ります。',
  'destroy.used':
    '他の {count, number} 個の Capsule がこの Capsule の Output を使っています。それらは「最新ではない」状態になり、次のプランが失敗することがあります。',
  'destroy.action': '削除をプラン',
  'rollback.button': 'この状態への復帰をプラン',
  'states.outputs': 'Output',
  'states.outputs.none': '表示できる Output はありません。',
  'group.title.workspace_update': 'Workspace の更新',
  'group.title.workspace_drift_check': 'Workspace のドリフトチェック',
  'group.title.capsule_install': 'インストール',
  'group.title.capsule_update': 'Capsule の更新',
  'group.title.capsule_destroy': 'Capsule の削除',
  'group.lead': '{count, number} 件の Run',
  'group.layer': 'ステップ {number, number}',
  'group.layer.first': 'このグループの他のものには依存していません。',
  'group.layer.next': '前のステップの Run がすべて終わると始まります。',
  'group.approve': '{count, plural, one {# 件のプランを承認} other {# 件のプランをすべて承認}}',
  'group.approve.title': '{count, number} 件のプランを承認しますか？',
  'group.approve.text':
    '承認しただけではまだ何も適用されません。各プランはそれぞれのページで適用します。これらのプランは何かを削除・置換・管理外にするか、ポリシーが人の確認を求めています:',
  'group.link': 'グループ',
  'group.stale':
    '前のステップの Capsule を適用すると、後の Capsule に渡される値が変わることがあります。その場合は「最新ではない」状態になるので、もう一度すべての更新をプランしてください。',
  'usage.title': '使用量',
  'usage.lead': '各 Run がこのマシンを使った時間です。新しい順に表示します。Ground Control は課金しません。',
  'usage.empty.title': 'まだ使用量はありません',
  'usage.empty.text': 'プラン、適用、ドリフトチェックは終了するとここに記録されます。',
  'usage.amount': '実行時間',
  'usage.when': '日時',
  'usage.run': 'Run',
  'usage.summary.events': '{count, number} 件の Run を集計',
};
