import type { manifestMessages as source } from '../en/manifest-codes.ts';

export const manifestMessages: typeof source = {
  not_regular_file: 'マニフェストが通常のファイルではないため、使われていません。',
  too_large: 'マニフェストが大きすぎるため、使われていません。',
  invalid_utf8: 'マニフェストが UTF-8 テキストではないため、使われていません。',
  invalid_document: 'マニフェストに誤りがあるため、使われていません。',
  manifest_api_version_required:
    'ここのポリシーでは、特定のバージョンのマニフェストに記載されたものだけをインストールできます。それを含むコミットを選んでください。',
  module_missing:
    'マニフェストにこのモジュールの記載がありません。別のモジュールを選ぶか、マニフェストに追加してください。',
  module_path_invalid: 'モジュールのパスはマニフェストに記載できません。別のフォルダーを選んでください。',
  compatibility_report_mismatch: '確認結果が別のモジュールまたはコミットのものです。もう一度中を確認してください。',
  variable_missing:
    'マニフェストに、モジュールにない変数が記載されています。マニフェストを修正してから再度同期してください。',
  variable_type_mismatch:
    'マニフェストの変数の型がモジュールと異なります。マニフェストを修正してから再度同期してください。',
  variable_default_mismatch:
    'マニフェストが、モジュールにない既定値を前提にしています。マニフェストを修正してから再度同期してください。',
  interface_output_missing:
    'マニフェストに、モジュールにない Output が記載されています。マニフェストを修正してから再度同期してください。',
  interface_output_sensitive:
    'マニフェストが、秘密を含む可能性のある Output を公開しようとしています。マニフェストを修正してから再度同期してください。',
  interface_output_ephemeral:
    'マニフェストが、保存されない Output を公開しようとしています。マニフェストを修正してから再度同期してください。',
  interface_permission_disallowed:
    'マニフェストが、ここのポリシーで許可されていない権限を求めています。運用者に相談してください。',
  interface_delivery_disallowed:
    'マニフェストが、ここのポリシーで許可されていない受け渡し方法を求めています。運用者に相談してください。',
  output_allowlist_conflict: 'マニフェストの Output の公開方法が運用者の設定と異なります。運用者に相談してください。',
  interface_blueprint_conflict: '運用者が同じ名前で別の Interface を設定しています。運用者に相談してください。',
  requirement_disallowed:
    'モジュールが、ここのポリシーで許可されていないものを求めています。運用者に相談してください。',
  requirement_target_invalid:
    'マニフェストの受け渡し先が、モジュールのテキスト変数ではありません。マニフェストを修正してから再度同期してください。',
  requirement_target_reserved:
    'マニフェストの受け渡し先が予約された変数です。マニフェストを修正してから再度同期してください。',
  runtime_binding_unavailable: 'モジュールは実行中の値の受け渡しを必要としますが、このサーバーではまだ利用できません。',
  oidc_scope_disallowed:
    'モジュールが、ここのポリシーで許可されていないサインインを求めています。運用者に相談してください。',
  source_build_conflict:
    'マニフェストのビルドに、同時に存在できないファイルが記載されています。マニフェストを修正してから再度同期してください。',
};
