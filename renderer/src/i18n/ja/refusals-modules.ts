import { manifestTexts } from '../en/manifest-codes.ts';
import type { moduleRefusals as source } from '../en/refusals-modules.ts';
import { install } from './install.ts';
import { manifestMessages } from './manifest-codes.ts';

export const moduleRefusals: Record<keyof typeof source, string> = {
  'refusal.remote_module_source':
    'モジュールが外部のモジュールを呼び出しています。リポジトリにコピーし、相対パスで呼び出してください。',
  'refusal.configuration_invalid': '設定が使えません。示された点を修正してから再度同期してください。',
  'refusal.module_source_not_static':
    '呼び出すモジュールの source が計算で決まります。パスをそのままの文字列で書いてから再度同期してください。',
  'refusal.tool_version_unsatisfied':
    'モジュールが別のバージョンのツールを求めています。そのバージョンをインストールするか、モジュールの制約を変更してください。',
  'refusal.provider_not_allowed':
    'モジュールのプロバイダーがポリシーで許可されていません。プロバイダーを置き換えるか、ポリシーを変更してください。',
  'refusal.resource_type_not_allowed':
    'モジュールのリソースタイプがポリシーで許可されていません。リソースを取り除くか、ポリシーを変更してください。',
  'refusal.data_source_type_not_allowed':
    'モジュールのデータソースタイプがポリシーで許可されていません。データソースを取り除くか、ポリシーを変更してください。',
  'refusal.provisioner_not_allowed':
    'モジュールのプロビジョナーがポリシーで許可されていません。プロビジョナーを取り除くか、ポリシーを変更してください。',
  'refusal.provider_not_declared':
    '宣言されていないプロバイダーが使われています。required_providers に追加してから再度同期してください。',
  'refusal.provisioner_present':
    'モジュールのプロビジョナーが適用中にコマンドを実行します。承認の前に内容を確認してください。',
  'refusal.external_program_present':
    'モジュールはプラン中でも独自のプログラムを起動します。プランの前に内容を確認してください。',
  'refusal.lockfile_missing':
    'モジュールにロックファイルがないため、プロバイダーのバージョンが変わる可能性があります。.terraform.lock.hcl をコミットしてください。',
  'refusal.lockfile_digest_missing':
    'ロックファイルにプロバイダーのダイジェストがありません。providers lock を実行してからコミットしてください。',
  'refusal.backend_overridden':
    'モジュールのバックエンドは使われず、state はここの台帳に保存されます。対応は不要です。',
  'refusal.cloud_block_present':
    'モジュールの cloud ブロックは使われず、state はここの台帳に保存されます。対応は不要です。',
  'refusal.encryption_overridden': 'モジュールの暗号化設定は使われず、台帳のものが使われます。対応は不要です。',
  'refusal.tfvars_ignored': 'モジュールの値のファイルは読み込まれません。代わりに入力として値を指定してください。',
  'refusal.source_snapshot_missing': install['progress.failed.source_snapshot_missing'],
  'refusal.source_identity_changed': install['progress.failed.source_identity_changed'],
  'refusal.source_snapshot_not_found': install['progress.failed.source_snapshot_not_found'],
  'refusal.source_snapshot_scope_mismatch': install['progress.failed.source_snapshot_scope_mismatch'],
  'refusal.install_preflight_config_identity_changed':
    install['progress.failed.install_preflight_config_identity_changed'],
  'refusal.compatibility_evidence_identity_conflict':
    install['progress.failed.compatibility_evidence_identity_conflict'],
  'refusal.compatibility_evidence_incomplete': install['progress.failed.compatibility_evidence_incomplete'],
  'refusal.compatibility_not_ready': install['progress.failed.compatibility_not_ready'],
  'refusal.generic_opentofu_compatibility_analysis_failed':
    install['progress.failed.generic_opentofu_compatibility_analysis_failed'],
  'refusal.repository_install_module_selection_required':
    install['progress.failed.repository_install_module_selection_required'],
  'refusal.repository_install_module_not_found': install['progress.failed.repository_install_module_not_found'],
  'refusal.capsule_identity_ambiguous': install['progress.failed.capsule_identity_ambiguous'],
  'refusal.source_sync_scope_mismatch': install['progress.failed.source_sync_scope_mismatch'],
  'refusal.generic_opentofu_variable_declarations_missing':
    install['progress.failed.generic_opentofu_variable_declarations_missing'],
  'refusal.capsule_identity_changed': install['progress.failed.capsule_identity_changed'],
  'refusal.plan_run_identity_conflict': install['progress.failed.plan_run_identity_conflict'],
  'refusal.install_plan_reconcile_retryable': install['progress.failed.install_plan_reconcile_retryable'],
  ...manifestTexts('refusal.', manifestMessages),
  'refusal.install_compilation_identity_changed': install['progress.failed.install_compilation_identity_changed'],
  'refusal.required_interface_missing': install['progress.failed.required_interface_missing'],
  'refusal.required_interface_ambiguous': install['progress.failed.required_interface_ambiguous'],
  'refusal.required_interface_conflict': install['progress.failed.required_interface_conflict'],
  'refusal.plan_run_failed': install['progress.failed.plan_run_failed'],
  'refusal.install_plan_cancelled': install['progress.failed.install_plan_cancelled'],
  'refusal.install_plan_expired': install['progress.failed.install_plan_expired'],
  'refusal.revision_identity_changed':
    'プランの作成中に Capsule またはその設定か Source が変更されました。もう一度プランを作成してください。',
  'refusal.revision_plan_expired': '1 週間続行されなかったため終了しました。もう一度プランを作成してください。',
  'refusal.install_plan_failed': install['progress.failed.install_plan_failed'],
};
