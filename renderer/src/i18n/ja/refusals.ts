import type { refusals as source } from '../en/refusals.ts';

export const refusals: Record<keyof typeof source, string> = {
  'refusal.workspace_archived': 'この Workspace はアーカイブされているため、変更できません。',
  'refusal.source_disabled':
    'Source が無効です。Source のページで再び有効にするか、現在のコミットからプランしてください。',
  'refusal.source_in_use':
    'Source にスナップショットまたは Capsule があるため、履歴を残す必要があります。代わりに無効にしてください。',
  'refusal.source_sync_required': 'Source はまだ同期されていません。先に同期してください。',
  'refusal.capsule_destroyed': 'この Capsule はもうありません。必要な場合はモジュールを再びインストールしてください。',
  'refusal.capsule_disabled': 'この Capsule はサーバーの管理者によって無効にされています。',
  'refusal.capsule_name_taken': 'この環境には同じ名前の Capsule がすでにあります。別の名前を選んでください。',
  'refusal.capsule_owned_resources_pending':
    'プロバイダーに作成を依頼しましたが state が残っていないため、破棄できません。もう一度プランして実際の状態を確認してください。',
  'refusal.current_output_inconsistent': 'Output が現在の state と一致しません。もう一度プランして適用してください。',
  'refusal.run_in_progress':
    'この Capsule の Run が待機中または実行中です。キャンセルするか終了を待ってから再試行してください。',
  'refusal.run_queue_full': 'この Capsule の待機中の Run が多すぎます。いくつかキャンセルしてから再試行してください。',
  'refusal.run_terminal': 'この Run はすでに終了しています。',
  'refusal.run_not_cancellable': '実行中のバックアップや復元はキャンセルできません。終了をお待ちください。',
  'refusal.run_not_appliable': '適用できるのはプランだけです。',
  'refusal.compatibility_report_missing':
    '最新のスナップショットはまだチェックされていません。最新のコミットからもう一度プランしてください。',
  'refusal.compatibility_report_output_metadata_missing':
    'チェック結果がこのサーバーより古いものです。最新のコミットからもう一度プランしてください。',
  'refusal.compatibility_not_runnable':
    'チェックで修正が必要な問題が見つかりました。モジュールを修正し、同期してからもう一度プランしてください。',
  'refusal.capsule_source_revision_lineage_mismatch': 'そのコミットはこの Capsule とは別の Source のものです。',
  'refusal.nothing_to_approve': 'この Run はもう承認待ちではありません。',
  'refusal.second_person_required': 'プランの作成者は承認できません。別の人の承認が必要です。',
  'refusal.apply_in_progress': '適用を実行中です。中断のみ可能で、到達したところまでは保存されます。',
  'refusal.plan_not_succeeded':
    'このプランは正常に終了しなかったため、適用するものがありません。もう一度プランしてください。',
  'refusal.approval_required': 'このプランは適用の前に承認が必要です。',
  'refusal.policy_denied':
    'Workspace のポリシーがこのプランを拒否しています。モジュールまたはポリシーを変更してください。',
  'refusal.plan_artifact_missing': '封印されたプランがもうありません。もう一度プランしてください。',
  'refusal.plan_digest_mismatch': 'レビューしたプランと異なります。再読み込みして内容を確認し直してください。',
  'refusal.plan_expired': 'このプランは古いため適用できません。もう一度プランしてください。',
  'refusal.plan_superseded': 'このプランの作成後に Capsule が変更されました。もう一度プランしてください。',
  'refusal.state_generation_mismatch': 'このプランの作成後に state が更新されました。もう一度プランしてください。',
  'refusal.plan_not_ready': 'プランはまだ計算されていません。完了するとここに表示されます。',
  'refusal.not_found': '見つからないか、すでに削除されています。',
  'refusal.forbidden': 'この Workspace でのあなたの役割では実行できません。所有者に依頼してください。',
  'refusal.rate_limited': '要求が多すぎます。しばらく待ってから再試行してください。',
  'refusal.runner_unavailable':
    'OpenTofu も Terraform も見つかりません。ツールをインストールしてから再試行してください。',
  'refusal.ledger_read_only':
    'ディスクが一杯などの理由で、サーバーは現在変更を受け付けていません。後で再試行してください。',
  'refusal.internal_error': 'サーバー内部でエラーが発生しました。詳細はサーバーのログにあります。再試行してください。',
};
