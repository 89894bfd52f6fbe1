import type { bindings as source } from '../en/provider-bindings.ts';

export const bindings: Record<keyof typeof source, string> = {
  'binding.title': '認証情報',
  'binding.role':
    'あなたのロールは Connection なしでプランを作成します。後からオーナーか管理者が Capsule に割り当てられます。',
  'binding.lead': 'プロバイダーごとに、プランと適用に渡す認証情報を選びます。ここで選んだもの以外は渡されません。',
  'binding.none': '認証情報なし',
  'binding.noneThere': '認証情報なし: 対応する Connection はまだありません',
  'binding.gone': '{name} · 失効済みまたは存在しません',
  'binding.new': 'Connection を追加',
  'binding.newFor': '{name} の Connection を追加',
  'binding.likely': '通常は認証情報が必要です。ないと、プロバイダーへの問い合わせでプランが失敗することがあります。',
  'binding.others': '通常は認証情報が不要なプロバイダー {count, plural, other {# 件}}',
  'binding.gives': '渡すもの: {names}',
  'binding.givesBlock': 'ブロックの引数として渡します',
  'binding.reach': 'プランが読み取れるもの',
  'binding.reach.text':
    'モジュールとそのプロバイダー、そこから起動されるものは、プランと適用の間これらを読み取れます。プロバイダーのダウンロードはその前に、これらなしで行われます。',
  'binding.reach.env': '環境変数',
  'binding.reach.files': 'ファイル',
  'binding.reach.arguments': 'プロバイダーブロックの引数',
  'binding.reach.inputs': 'モジュールの入力',
  'binding.pinned':
    'プランされるのは、ここに表示されているコミット {commit} だけです。新しいコミットに、見ないまま認証情報が渡ることはありません。',
  'binding.blocked': '先に使用できる Connection を選んでください。上の認証情報を確認してください。',
  'binding.show': '開く',
  'binding.change': '変更',
  'binding.plan': 'これでプラン',
  'binding.planHelp': '確認するためのプランを作ります。適用するまで実際には何も変わりません。',
  'binding.unchanged': 'まだ何も変更されていません。',
  'binding.noProvider': 'このモジュールには、認証情報を渡せるプロバイダーがありません。',
  'binding.unchecked':
    'モジュールはまだチェックされていないため、必要なものが分かりません。もう一度プランするとチェックされます。',
  'binding.noneBound': '認証情報は渡されません。',
  'binding.stopped.title': '使用できる Connection がないプロバイダーがあります',
  'binding.stopped.text': '別のものを選ぶまで、プランも適用もできません。既にあるものはそのまま残ります。',
  'binding.stopped.plan': 'このプランの Connection は使えなくなりました',
  'binding.stopped.planText': 'そのため適用できません。別の Connection を選ぶと、新しいプランが作られます。',
  'binding.choose': 'Connection を選ぶ',
  'binding.run': 'この Run の認証情報',
  'binding.run.none': 'この Run には認証情報が渡されません。',
  'binding.openConnection': 'Connection を開く',
  'binding.why.connection_required': 'Connection が必要ですが、選ばれていません。選択するか、ここで追加してください。',
  'binding.why.connection_missing': '選ばれた Connection はもう存在しません。別のものを選んでください。',
  'binding.why.connection_foreign': '選ばれた Connection は別の Workspace のものです。別のものを選んでください。',
  'binding.why.connection_revoked': '選ばれた Connection は失効しています。別のものを選ぶか、新しく追加してください。',
  'binding.why.connection_expired': '選ばれた Connection は期限切れです。別のものを選ぶか、新しく追加してください。',
  'binding.why.connection_error':
    '選ばれた Connection は前回のテストに失敗しました。内容を確認するか、別のものを選んでください。',
  'binding.why.connection_git':
    'Git リポジトリ用のトークンはプロバイダーには使えません。別の Connection を選んでください。',
  'binding.why.connection_registry':
    'モジュールレジストリのトークンはプロバイダーには使えません。別の Connection を選んでください。',
  'binding.why.connection_storage':
    'オブジェクトストレージのキーはプロバイダーには使えません。別の Connection を選んでください。',
  'binding.why.connection_managed':
    '選ばれた Connection に必要なプラットフォームがここにはありません。別のものを選んでください。',
  'binding.why.connection_material': '選ばれた Connection の内容を読み出せません。新しく追加してください。',
  'binding.why.credential_env_conflict':
    '2つの Connection が同じ変数に異なる値を設定し、このプロバイダーには代わりの引数がありません。両方に同じ Connection を選ぶか、2つに分けてインストールしてください。',
  'binding.why.module_input_conflict':
    '2つの Connection がモジュールの同じ入力に異なる値を与えます。その入力に値を入力するか、両方に同じものを選んでください。',
  'binding.why.connection_not_allowed':
    'この Workspace のポリシーでは、選ばれた Connection を使えません。別のものを選んでください。',
  'binding.why.connection_not_temporary':
    'この Workspace のポリシーは一時的な認証情報を求めますが、選ばれた Connection には期限がありません。期限のあるものを選んでください。',
  'binding.why.connection_ttl_not_enforced':
    'この Workspace のポリシーは期限が強制される認証情報を求めます。別の Connection を選んでください。',
};
