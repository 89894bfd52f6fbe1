import type { statusTexts as source } from '../en/statuses.ts';

export const statusTexts: Record<keyof typeof source, string> = {
  'run.status.queued': '待機中',
  'run.status.running': '実行中',
  'run.status.waiting_approval': '承認待ち',
  'run.status.succeeded': '成功',
  'run.status.failed': '失敗',
  'run.status.interrupted': '中断',
  'run.status.cancelled': 'キャンセル済み',
  'run.status.expired': '期限切れ',
  'run.type.source_sync': '同期',
  'run.type.compatibility_check': '互換性チェック',
  'run.type.plan': 'プラン',
  'run.type.rollback_plan': 'ロールバックのプラン',
  'run.type.apply': '適用',
  'run.type.destroy_plan': '削除プラン',
  'run.type.destroy_apply': '削除',
  'run.type.drift_check': 'ドリフトチェック',
  'run.type.backup': 'バックアップ',
  'run.type.restore': '復元',
  'run.awaits.approve': '承認待ち',
  'run.awaits.apply': '適用できます',
  'capsule.status.pending': '未適用',
  'capsule.status.active': '稼働中',
  'capsule.status.stale': '最新ではない',
  'capsule.status.error': '対応が必要',
  'capsule.status.disabled': '無効',
  'capsule.status.destroyed': '削除済み',
  'capsule.status.discarded': '破棄済み',
  'source.status.active': '有効',
  'source.status.disabled': '無効',
  'source.status.error': '取得できません',
  'compatibility.ready': '対応',
  'compatibility.needs_patch': '修正が必要',
  'compatibility.unsupported': '非対応',
  'who.you': 'あなた',
  'who.system': 'Ground Control',
  'who.operator': '管理者',
  'who.schedule': 'スケジュール',
  'who.webhook': 'Webhook',
  'run.error.plan_failed':
    'ツールがプランを作成できませんでした。Run のメッセージを確認し、修正してからもう一度プランしてください。',
  'run.error.policy_denied':
    'Workspace のポリシーがこのプランを拒否しました。Run に理由があります。モジュールまたはポリシーを変更してください。',
  'run.error.init_failed':
    'モジュールを準備できませんでした。プロバイダーまたは呼び出し先のモジュールが見つかりません。ログを確認してからもう一度プランしてください。',
  'run.error.source_build_failed':
    'プラン前のビルドが失敗したか、必要なファイルを正しく残しませんでした。ログと理由は Run にあります。修正してからもう一度プランしてください。',
  'run.error.plan_seal_mismatch': 'レビューしたプランが封印と一致しません。もう一度プランしてください。',
  'run.error.tool_unavailable':
    'OpenTofu も Terraform も見つからないか、このマシンから隔離する仕組みが動きません。どちらかは Run に示されています。',
  'run.error.tool_version_changed':
    'プランまたは state を作成したツールと異なります。同じツールでもう一度プランしてください。',
  'run.error.apply_failed':
    '適用がエラーで停止しました。到達したところまでは state に保存されています。メッセージを確認し、もう一度プランしてください。',
  'run.error.apply_interrupted': '適用は途中で終了しました。到達したところまでは state に保存されています。',
  'run.error.state_save_failed':
    'ツールが信頼できる state を残しませんでした。最新の正常な state は保存されています。リソースを確認し、もう一度プランしてください。',
  'run.error.plan_superseded': 'このプランの作成後に設定が変更されました。もう一度プランしてください。',
  'run.error.capsule_lifecycle_action_failed':
    'ライフサイクルアクションが成功しませんでした。ログの行を確認してから、もう一度プランしてください。',
  'run.error.capsule_held': 'この適用が始まる前に Capsule が保留されました。保留の解除後にもう一度プランしてください。',
  'run.error.state_generation_mismatch': 'このプランの作成後に state が更新されました。もう一度プランしてください。',
  'run.error.provider_connection_not_ready':
    '割り当てられた Connection が、失効・期限切れ・テスト失敗のいずれかか、なくなっています。更新するか別の Connection を割り当ててから、もう一度プランしてください。',
  'run.error.provider_connection_setup_required':
    'モジュールのプロバイダーに Connection が必要ですが、割り当てられていません。割り当ててから、もう一度プランしてください。',
  'run.error.provider_connection_changed':
    'このプランの作成後に Connection が変わりました。もう一度プランしてください。',
  'run.error.credential_service_unavailable':
    'Run の認証情報を発行するサービスが応答しませんでした。しばらくしてからもう一度実行してください。',
  'run.error.credential_mint_failed':
    'Run で使用できる認証情報が発行されませんでした。理由は Run にあります。原因を修正するか別の Connection を割り当ててから、もう一度プランしてください。',
  'run.error.credential_policy_failed':
    '割り当てられた Connection を一緒に使えないか、ポリシーで禁止されています。詳細は Run にあります。別の Connection を割り当ててから、もう一度プランしてください。',
  'run.error.dependency_output_missing':
    'この Capsule が使う Output を利用できませんでした。どの Output かは Run に示されています。修正してからもう一度プランしてください。',
  'run.error.oidc_authority_unavailable':
    'このアプリのサインインを提供できません。理由は Run に示されています。修正してからもう一度プランしてください。',
  'run.error.oidc_authority_drift':
    'このプランの作成後に、アプリまたはこのサーバーのアドレス、または許可されたスコープが変わりました。もう一度プランしてください。',
  'run.error.capsule_compatibility_check_failed':
    'モジュールをチェックできませんでした。検出内容を確認し、修正してから再度同期してください。',
  'run.error.source_sync_failed': 'リポジトリを取得できませんでした。ログを確認してから再度同期してください。',
  'run.error.source_fetch_refused':
    'このアドレスからの取得は許可されていません(プライベート、ローカル、または別の場所への転送)。許可されたアドレスを使用してください。',
  'run.error.source_auth_failed':
    'リポジトリがサインインを求めているか、存在しません。アドレスを確認してください。非公開の場合は Source にアクセストークンを設定してください。',
  'run.error.source_unreachable':
    'ホストが応答しませんでした。ネットワークとアドレスを確認してから再度同期してください。',
  'run.error.source_not_git': 'このアドレスに Git リポジトリはありません。アドレスを確認してください。',
  'run.error.source_ref_not_found':
    'ブランチ、タグまたはコミットがリポジトリにありません。Source の ref を確認してください。',
  'run.error.source_empty': 'リポジトリにまだコミットがありません。プッシュしてから再度同期してください。',
  'run.error.source_path_not_found': 'このコミットにそのフォルダーはありません。Source のパスを確認してください。',
  'run.error.source_tls_failed': 'ホストの証明書を信頼できません。アドレスと時計を確認してください。',
  'run.error.source_too_large':
    'リポジトリが取得できる上限を超えています。より小さいリポジトリまたはサブフォルダーを使用してください。',
  'run.error.source_timed_out': '取得に時間がかかりすぎたため中止しました。後で再度同期してください。',
  'run.error.backup_failed':
    'バックアップを作成できませんでした。途中のファイルは残っていません。Run のメッセージを確認してから、もう一度実行してください。',
  'run.error.restore_failed':
    '復元を確定できませんでした。どの Capsule も変更されていません。Run のメッセージを確認してから、もう一度要求してください。',
  'run.error.run_timed_out': 'Run が制限時間を超えたため停止しました。何を待っていたかはログで確認できます。',
  'run.error.run_execution_lease_lost':
    'クラッシュなどでサーバーがこの Run を見失いました。書かれていた最新の state は保存されています。',
  'run.error.runner_infrastructure_retry_exhausted':
    'このマシンで何度試しても実行できませんでした。サーバーのログを確認してから再試行してください。',
  'run.error.fence_not_held':
    'フェンスがこのサーバーを示していないか、バケットが応答しませんでした。何も開始されていません。書き込めるサーバーを確認してから、もう一度適用してください。',
  'run.error.disk_full': 'データフォルダーのディスクがほぼ一杯です。空き容量を増やしてから再試行してください。',
};
