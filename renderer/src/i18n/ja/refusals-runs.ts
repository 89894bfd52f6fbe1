import type { runRefusals as source } from '../en/refusals-runs.ts';
import { statusTexts } from './statuses.ts';

export const runRefusals: Record<keyof typeof source, string> = {
  'refusal.installation_not_restored':
    'このインストール環境はバックアップから復元されたものではないため、終了する一時停止はありません。',
  'refusal.workspace_archived':
    'この Workspace はアーカイブされているため、変更できません。先にアーカイブを解除してください。',
  'refusal.handle_taken': 'このハンドルはすでに使用されています。別のハンドルを選んでください。',
  'refusal.last_active_workspace':
    'これは唯一の Workspace です。アーカイブまたは削除する前に別の Workspace を作成してください。',
  'refusal.workspace_capsules_changed':
    'リソースを持つ Capsule が表示後に変わりました。一覧を読み直してから確認してください。',
  'refusal.workspace_shares_in_use':
    '別の Workspace がこの Workspace の Output を使用しています。そのオーナーに伝えてから、共有の終了を確認してください。',
  'refusal.workspace_credentials_pending':
    '終了した Run の認証情報が、まだ発行元で取り消されていません。しばらくしてから再試行してください。サーバーは1日のあいだ試行します。',
  'refusal.slug_taken': 'この短縮名はすでに使用されています。別の短縮名を選んでください。',
  'refusal.member_exists': 'このアカウントはすでにメンバーです。ロールを変更してください。',
  'refusal.last_owner': 'Workspace にはオーナーが少なくとも 1 人必要です。先に別のメンバーをオーナーにしてください。',
  'refusal.source_disabled':
    'Source が無効です。Source のページで再び有効にするか、現在のコミットからプランしてください。',
  'refusal.source_in_use':
    'Source にスナップショットまたは Capsule があるため、履歴を残す必要があります。代わりに無効にしてください。',
  'refusal.source_sync_required':
    'Source のファイルがここにありません。まだ同期されていないか、保管が終わっています。先に同期してください。',
  'refusal.stable_tag_missing':
    'リポジトリに vX.Y.Z または X.Y.Z 形式のタグがないため、安定バージョンを決められません。ref を指定してください。',
  'refusal.stable_tag_ambiguous':
    '同じバージョンに vX.Y.Z と X.Y.Z の両方のタグがあるため、どちらか判断できません。ref を指定してください。',
  'refusal.ref_listing_failed': 'リポジトリのタグを一覧できませんでした。アドレスを確認し、もう一度試してください。',
  'refusal.capsule_destroyed': 'この Capsule はもうありません。必要な場合はモジュールを再びインストールしてください。',
  'refusal.capsule_disabled': 'この Capsule は無効です。サーバーの管理者に有効化を依頼してください。',
  'refusal.capsule_lifecycle_action_failed':
    'この Run のライフサイクルアクションが成功しませんでした。ログの行を確認してください。',
  'refusal.capsule_held': 'この Capsule は保留中のため、何も適用されません。オーナーまたは管理者が解除できます。',
  'refusal.capsule_never_applied': 'この Capsule はまだ適用されたことがありません。先にプランして適用してください。',
  'refusal.capsule_runtime_unsafe':
    'この Capsule の前回の適用が正常に終わらなかったため、状態が不確かです。先に現在の設定のままプランして適用してください。',
  'refusal.capsule_owned_resources_pending':
    'プロバイダーに作成を依頼しましたが state が残っていないため、破棄できません。もう一度プランして実際の状態を確認してください。',
  'refusal.current_output_inconsistent': 'Output が現在の state と一致しません。もう一度プランして適用してください。',
  'refusal.run_in_progress':
    'この Capsule の Run が待機中または実行中です。キャンセルするか終了を待ってから再試行してください。',
  'refusal.favorites_full': 'この Workspace のお気に入りはすでに 100 件あります。どれかを外してください。',
  'refusal.run_queue_full': 'この Capsule の待機中の Run が多すぎます。いくつかキャンセルしてから再試行してください。',
  'refusal.compatibility_report_missing':
    '最新のスナップショットはまだチェックされていません。最新のコミットからもう一度プランしてください。',
  'refusal.compatibility_report_output_metadata_missing':
    'チェック結果がこのサーバーより古いものです。最新のコミットからもう一度プランしてください。',
  'refusal.compatibility_not_runnable':
    'チェックで修正が必要な問題が見つかりました。モジュールを修正し、同期してからもう一度プランしてください。',
  'refusal.capsule_source_revision_lineage_mismatch':
    'そのコミットはこの Capsule とは別の Source のものです。この Capsule の Source のコミットを選んでください。',
  'refusal.dependency_cycle':
    'その Capsule は、直接または他の Capsule を経由して、すでにこの Capsule を使っています。先にその依存関係を削除してください。',
  'refusal.output_share_required':
    'その Capsule は別の Workspace のもので、これらの Output はこの Workspace に共有されていません。共有を依頼し、届いた申し出を承認してください。',
  'refusal.app_hostname_unavailable':
    'サービスのアドレスがないか、名前が長すぎるか、ホスト名がほかのサービスで使われています。アドレスを入力するか、別の名前にしてください。',
  'refusal.custom_domain_not_verified':
    'サービスのアドレスはサーバーが割り当てます。入力されたアドレスのホスト名は所有が証明されていません。アドレスを空にするか、運用者に証明の登録を依頼してください。',
  'refusal.install_config_selector_taken': 'このリポジトリ、パス、モジュールの InstallConfig はすでにあります。',
  'refusal.install_config_in_use':
    'この InstallConfig は変更できません。Capsule のものか、まだ使用されているか、インストールする人を結び付けるものです。',
  'refusal.migration_fence_moved':
    'Capsule が変わったか、Output から Interface を解決できません。何も作成されていません。一覧を読み込み直してください。',
  'refusal.oidc_authority_unavailable':
    'モジュールは Ground Control で利用者をサインインさせますが、発行者が無効か、サービスに https のアドレスがないか、スコープがポリシーで許可されていません。詳細はメッセージにあります。',
  'refusal.dependency_output_missing':
    'この Capsule が使う Output がありません。それを渡す Capsule を適用するか、依存関係を変更してください。',
  'refusal.capsule_name_taken': 'この環境には同じ名前の Capsule がすでにあります。別の名前を選んでください。',
  'refusal.capsule_install_config_rebind_conflict':
    '開いた後に Capsule が変更されました。再読み込みして内容を確認し直してください。',
  'refusal.capsule_install_config_rebind_busy':
    'この Capsule の Run が待機中または実行中か、Capsule が無効または削除済みです。Run をキャンセルするか終了をお待ちください。',
  'refusal.capsule_configuration_generic_authority_invalid':
    'この Capsule の値を検証するための情報がありません。モジュールをインストールし直してください。',
  'refusal.capsule_configuration_generic_declarations_invalid':
    'チェック結果にモジュールの変数の情報がありません。スナップショットをもう一度チェックしてください。',
  'refusal.capsule_configuration_generic_digest_mismatch':
    'Capsule の設定時とモジュールの変数が異なります。モジュールをインストールし直してください。',
  'refusal.capsule_configuration_compatibility_not_runnable':
    'チェックで修正が必要な問題が見つかりました。モジュールを修正し、同期してから再試行してください。',
  'refusal.capsule_configuration_manifest_authority_unavailable':
    'このスナップショットには、この Capsule のモジュールのマニフェストがありません。別のスナップショットを選んでください。',
  'refusal.capsule_configuration_identity_conflict': 'この変更の保存先に別の記録があります。もう一度お試しください。',
  'refusal.capsule_configuration_installing_principal_unavailable':
    'Interface があなたのアカウントに紐付けられますが、あなたはこの Workspace のメンバーではありません。オーナーまたは管理者に追加を依頼してください。',
  'refusal.nothing_to_update':
    'この Workspace に更新の必要な Capsule はありません。新しいコミットを確認するには Source を同期してください。',
  'refusal.nothing_to_drift_check': 'この Workspace に適用済みの Capsule はありません。先に適用してください。',
  'refusal.no_drift': 'この Capsule の最新の検査ではドリフトは見つかりませんでした。もう一度検査してください。',
  'refusal.drift_changed': 'ページを読み込んだ後にドリフトが変わりました。読み込み直して確認してください。',
  'refusal.failure_fence_moved': 'この失敗は読み込んだ後に状況が変わりました。一覧を読み込み直してください。',
  'refusal.state_version_snapshot_missing':
    'この状態がどのコミットから作られたかは分からなくなりました。最新のコミットからプランしてください。',
  'refusal.nothing_to_approve': 'この Run はもう承認待ちではありません。ページを再読み込みしてください。',
  'refusal.nothing_to_retry':
    'このグループに失敗またはキャンセルされたものはありません。ページを再読み込みしてください。',
  'refusal.second_person_required': 'プランの作成者は承認できません。別の人の承認が必要です。',
  'refusal.run_terminal': 'この Run はすでに終了しています。ページを再読み込みして結果を確認してください。',
  'refusal.run_not_cancellable': '実行中のバックアップや復元はキャンセルできません。終了をお待ちください。',
  'refusal.apply_in_progress':
    '実行中の適用はキャンセルできません。代わりに中断してください。到達したところまでの状態は保存されます。',
  'refusal.run_not_appliable': '適用できるのはプランだけです。プランの Run を開いてください。',
  'refusal.plan_not_succeeded':
    'このプランは正常に終了しなかったため、適用するものがありません。もう一度プランしてください。',
  'refusal.approval_required': 'このプランは承認されていません。先に承認してください。',
  'refusal.policy_denied':
    'Workspace のポリシーがこのプランを拒否しています。モジュールまたはポリシーを変更してください。',
  'refusal.plan_artifact_missing': '封印されたプランがもうありません。もう一度プランしてください。',
  'refusal.plan_digest_mismatch': 'レビューしたプランと異なります。再読み込みして内容を確認し直してください。',
  'refusal.plan_expired': 'このプランは古いため適用できません。もう一度プランしてください。',
  'refusal.plan_superseded':
    'このプランの作成後に Capsule が変更されたか、新しいプランがあります。Capsule を開き、なければもう一度プランしてください。',
  'refusal.state_generation_mismatch': 'このプランの作成後に state が更新されました。もう一度プランしてください。',
  'refusal.tool_version_changed': statusTexts['run.error.tool_version_changed'],
  'refusal.plan_not_ready': 'プランはまだ計算されていません。完了するとここに表示されます。',
  'refusal.plan_deleted':
    'この古い定期チェックの差分は削除されました。現在の差分を見るには、もう一度チェックしてください。',
  'refusal.plan_not_available': 'この Run はプランを作成せずに終了しました。理由はメッセージとログを確認してください。',
  'refusal.state_not_readable':
    'この状態のリソースの保存データが壊れています。運用者は groundctl doctor でデータフォルダーを確認できます。',
  'refusal.state_not_comparable': '選んだ世代のリソースを読み取れません。別の世代を選んでください。',
  'refusal.share_revoked': 'この申し出は取り消されています。相手の Workspace に新しい共有を依頼してください。',
  'refusal.connection_revoked':
    'この Connection は失効し、中身は残っていません。新しい Connection を作成してください。',
  'refusal.provider_connection_not_ready':
    '割り当てられた Connection が失効済み、期限切れ、テスト失敗、または存在しません。更新するか別の Connection を割り当ててください。',
  'refusal.provider_connection_setup_required':
    'モジュールのプロバイダーに必要な Connection がありません。先に割り当ててください。',
  'refusal.backup_digest_mismatch':
    '指定されたバックアップではないか、ファイルが変更されています。バックアップを再読み込みしてください。',
  'refusal.backup_not_readable':
    'このバックアップのファイルが存在しないか壊れている、または鍵がもうありません。別のバックアップを使用してください。',
  'refusal.backup_has_no_state':
    'このバックアップに該当する state はありません。別の Capsule、世代、またはバックアップを選択してください。',
  'refusal.state_lineage_mismatch':
    'この state は Capsule の現在の state とは別のリソースのものなので、置き換えられません。',
  'refusal.state_format_unsupported': 'この state は形式 4 ではないか、不完全です。別の state を選択してください。',
  'refusal.backup_failed': statusTexts['run.error.backup_failed'],
  'refusal.restore_failed': statusTexts['run.error.restore_failed'],
  'refusal.webhook_limit_reached': 'この Workspace の Webhook は上限に達しています。不要なものを削除してください。',
  'refusal.delivery_pending': 'この配信はまだ次の試行を待っています。',
  'refusal.webhook_disabled': 'この Webhook は無効です。有効にしてから、配信を再送してください。',
  'refusal.provider_connection_changed': 'このプランの作成後に Connection が変わりました。もう一度プランしてください。',
  'refusal.credential_service_unavailable': statusTexts['run.error.credential_service_unavailable'],
  'refusal.credential_mint_failed': statusTexts['run.error.credential_mint_failed'],
  'refusal.credential_policy_failed': statusTexts['run.error.credential_policy_failed'],
  'refusal.plan_failed': statusTexts['run.error.plan_failed'],
  'refusal.init_failed': statusTexts['run.error.init_failed'],
  'refusal.source_build_failed': statusTexts['run.error.source_build_failed'],
  'refusal.plan_seal_mismatch': statusTexts['run.error.plan_seal_mismatch'],
  'refusal.tool_unavailable': statusTexts['run.error.tool_unavailable'],
  'refusal.apply_failed': statusTexts['run.error.apply_failed'],
  'refusal.apply_interrupted': statusTexts['run.error.apply_interrupted'],
  'refusal.oidc_authority_drift': statusTexts['run.error.oidc_authority_drift'],
  'refusal.state_save_failed': statusTexts['run.error.state_save_failed'],
  'refusal.capsule_compatibility_check_failed': statusTexts['run.error.capsule_compatibility_check_failed'],
  'refusal.source_sync_failed': statusTexts['run.error.source_sync_failed'],
  'refusal.source_fetch_refused': statusTexts['run.error.source_fetch_refused'],
  'refusal.source_auth_failed': statusTexts['run.error.source_auth_failed'],
  'refusal.source_unreachable': statusTexts['run.error.source_unreachable'],
  'refusal.source_not_git': statusTexts['run.error.source_not_git'],
  'refusal.source_ref_not_found': statusTexts['run.error.source_ref_not_found'],
  'refusal.source_empty': statusTexts['run.error.source_empty'],
  'refusal.source_path_not_found': statusTexts['run.error.source_path_not_found'],
  'refusal.source_tls_failed': statusTexts['run.error.source_tls_failed'],
  'refusal.source_too_large': statusTexts['run.error.source_too_large'],
  'refusal.source_timed_out': statusTexts['run.error.source_timed_out'],
  'refusal.run_timed_out': statusTexts['run.error.run_timed_out'],
  'refusal.run_execution_lease_lost': statusTexts['run.error.run_execution_lease_lost'],
  'refusal.runner_infrastructure_retry_exhausted': statusTexts['run.error.runner_infrastructure_retry_exhausted'],
  'refusal.import_lineage_taken':
    'これらのリソースは、このインストールの Capsule がすでに管理しています。その Capsule を開いてください。',
  'refusal.import_provider_missing':
    'モジュールが使わないプロバイダーのリソースが状態に含まれています。対応する状態とモジュールを選んでください。',
  'refusal.import_requested':
    'このインポートから Capsule が作成されています。復元の Run をキャンセルするか、Capsule を削除してください。',
  'refusal.late_state_superseded':
    'この適用が終了した後、Capsule に別の state が記録されました。比較してから、置き換えることを確認してください。',
  'refusal.late_state_ended': 'この state はすでに採用、却下または期限切れになったか、その復元が終わっていません。',
  'refusal.copy_of_copy':
    'この Source はすでにインストール用コピーです。ここからインストールするか、コピーを更新してください。',
  'refusal.copy_in_use':
    'このコピーからインストールした Capsule があるため、履歴を削除できません。代わりに Source を無効にしてください。',
  'refusal.copy_not_ready': 'コピーの内容はまだ準備できていません。レビューを待って承認してください。',
  'refusal.copy_review_changed': 'レビューの内容が変わりました。もう一度読んで判断してください。',
  'refusal.copy_revision_ended': 'このリビジョンは終了しています。コピーをもう一度準備してください。',
  'refusal.copy_revision_open': 'コピーの作成または同期の途中です。終わってからもう一度お試しください。',
  'refusal.copy_upstream_unavailable':
    'リポジトリまたはレジストリを読み取れませんでした。しばらくしてからもう一度お試しください。',
  'refusal.runners_not_configured':
    'このサーバーにはランナーマシン用の NATS サーバーが設定されていません。GROUNDCTL_NATS_URL を設定してサーバーを再起動し、もう一度お試しください。',
  'refusal.runner_pool_not_allowed':
    'この Workspace はそのランナープールを使えません。別のプールを選ぶか、オペレーターに許可を依頼してください。',
  'refusal.runner_pool_without_folders':
    'この Capsule にはサーバーのマシンにあるフォルダーへの書き込みが許可されていますが、ほかのマシンにはそのフォルダーがありません。サーバーのマシンで計画するか、オペレーターにフォルダーの取り消しを依頼してください。',
  'refusal.runner_pool_name_taken': '同じ名前のプールがあります。別の名前にしてください。',
  'refusal.runner_pool_in_use':
    'このプールは Run、Capsule、Workspace、またはマシンが使用しています。使用をやめてから削除してください。',
  'refusal.runner_enrolment_used': 'この登録はすでに使用されています。新しい登録を作成してください。',
  'refusal.runner_enrolment_expired': 'この登録は期限切れです。新しい登録を作成してください。',
  'refusal.runner_enrolment_cancelled': 'この登録は取り消されています。新しい登録を作成してください。',
  'refusal.runner_key_enrolled': 'この鍵のマシンはすでに登録されています。新しい鍵を作成して登録してください。',
  'refusal.fence_not_held': statusTexts['run.error.fence_not_held'],
  'refusal.disk_full': statusTexts['run.error.disk_full'],
};
