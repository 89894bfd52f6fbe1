import type { configuration as source } from '../en/configuration.ts';

export const configuration: Record<keyof typeof source, string> = {
  'configuration.title': '入力',
  'configuration.change': '構成を変更',
  'configuration.plan': '変更をプラン',
  'configuration.role': 'オーナーと管理者が変更できます。',
  'configuration.set': '設定済み',
  'configuration.notSet': '未設定',
  'configuration.hidden': '表示されません',
  'configuration.undeclared': '宣言なし',
  'configuration.undeclared.removed': 'モジュールが宣言しなくなった次の変数の値は、この変更で削除されます:',
  'configuration.supplied': 'ホストまたはほかの Capsule から渡される値 {count, plural, other {# 件}}',
  'configuration.changedSince':
    'この値はほかの人が変更しました。入力した値は残っています。そのままプランするか、保存済みの値に戻してください。',
  'configuration.conflict.title': 'ほかの人がこの Capsule を変更しました',
  'configuration.conflict.text':
    '入力した内容は残っています。現在の値を読み込んで見比べてから、変更をプランしてください。',
  'configuration.conflict.load': '現在の値を読み込む',
  'configuration.refused': '現在、構成を変更できません',
  'configuration.unsafe.title': '適用に失敗した後は入力を変更できません',
  'configuration.unsafe.text':
    '前回の適用が成功しなかったため結果が不確かで、入力の変更は拒否されます。次の方法で解消できます:',
  'configuration.unsafe.outside':
    '権限の不足など、外部の原因を取り除きます。その後、同じ入力のままもう一度プランして適用します。',
  'configuration.unsafe.default':
    '値を設定していない入力について、モジュールの既定値を変えてコミットします。その後、最新のコミットからプランして適用します。',
  'configuration.unsafe.commit':
    'この入力のまま動作するモジュールをコミットします。その後、最新のコミットからプランして適用します。',
  'configuration.unsafe.destroy':
    '削除プランを作成して適用します。その後、このページから、入力を引き継いでモジュールを再インストールします。',
  'configuration.again': '再インストール',
  'configuration.again.text':
    'この Capsule は削除されています。入力を引き継いでモジュールを再インストールできます。秘密の値は入力し直してください。',
  'origin.none': '値も既定値もありません',
  'origin.module_default': 'モジュールの既定値',
  'origin.manifest_default': 'マニフェストの既定値',
  'origin.operator_default': 'サーバー管理者の既定値',
  'origin.host.workspace_id': 'ホストから: Workspace の ID',
  'origin.host.capsule_id': 'ホストから: Capsule の ID',
  'origin.host.capsule_name': 'ホストから: Capsule の名前',
  'origin.host.workspace_scoped_capsule_name': 'ホストから: Workspace と Capsule の名前',
  'origin.host.address': 'ホストから: サービスのアドレス',
  'origin.host.sign_in': 'ホストから: アプリのサインイン',
  'origin.host.operator': 'サーバーの管理者が設定',
  'origin.connection_default': 'Connection の既定値:',
  'origin.output': 'Output',
  'origin.state': 'state 全体',
  'origin.foreign': '別の Workspace の Capsule',
  'origin.set.installation': 'インストール時に設定',
  'origin.set.installation.by': 'インストール時に {who} が設定',
  'origin.set.configuration_plan': '変更済み',
  'origin.set.configuration_plan.by': '{who} が変更',
  'origin.set.re_adoption': '新しいマニフェストで採用',
  'origin.set.re_adoption.by': '{who} が新しいマニフェストで採用',
  'origin.earlier': '以前',
  'origin.onlyGenerated': 'サーバーが生成',
  'origin.generated': '入力がなければサーバーが生成',
};
