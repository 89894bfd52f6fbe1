import type { installation as en } from '../en/installation.ts';

export const installation: Record<keyof typeof en, string> = {
  'pause.banner': '{at} のバックアップから復元され、一時停止しています',
  'pause.banner.text':
    'スケジュール、自動更新、フック、Webhook、メールは停止しています。その後の変更はここにはありません。表示内容を信頼する前に計画を実行してください。',
  'pause.banner.more': '詳しい説明を読む',
  'restored.title': '復元したインストール環境',
  'restored.lead': '復元で戻るもの、一時停止が終わるまで停止しているもの、先に確認すべきもの。',
  'restored.what':
    'このインストール環境は {at} 時点のものです。その後に適用、変更、削除されたものはステートに含まれず、計画では差分として表示されます。',
  'restored.byHand':
    '自動では何も始まりません。手動で始める同期、計画、承認、適用は通常どおり使えます。復元前の計画は無効になっているため、もう一度計画してください。',
  'restored.who':
    '一時停止を終了できるのは、このインストール環境の所有者です。ダッシュボードまたはサーバーのマシンで終了します。',
  'restored.notPaused': '一時停止していません',
  'restored.notPaused.others': 'スケジュールされた処理は有効です。',
  'restored.never':
    'このインストール環境はバックアップから復元されたものではありません。スケジュールされた処理は有効です。',
  'restored.ended': '{at} に一時停止が終了しました',
  'restored.ended.text': 'スケジュールされた処理は有効です。',
  'restored.off': '一時停止中に停止しているもの',
  'restored.off.source_syncs': 'Source の定期的な同期',
  'restored.off.source_hooks': 'Git ホストのフック（呼び出しは拒否され、ホスト側で失敗と表示されます）',
  'restored.off.auto_updates': '自動更新',
  'restored.off.drift_checks': '定期的なドリフトチェック',
  'restored.off.webhooks': 'Webhook（手動で送るテストを除く）',
  'restored.off.mails': 'イベントのメール（パスワード再設定のメールは送信されます）',
  'restored.off.backups': '定期的なバックアップ',
  'restored.off.credentials': 'Run に発行された認証情報の取り消し',
  'restored.endedRecords': '最初の起動で終了したもの',
  'restored.endedRecords.none': 'バックアップの時点で進行中のものはありませんでした。',
  'restored.ended.failedRuns':
    '{count, plural, other {実行中だった Run #件（失敗しました。Capsule を確認して、もう一度計画してください）}}',
  'restored.ended.cancelledRuns': '{count, plural, other {待機中だった Run #件}}',
  'restored.ended.supersededPlans': '{count, plural, other {適用できなくなった計画 #件}}',
  'restored.ended.sessions': '{count, plural, other {セッション #件（もう一度サインインしてください）}}',
  'restored.ended.signInLinks': '{count, plural, other {サインインリンク #件}}',
  'restored.ended.invitations': '{count, plural, other {招待 #件（もう一度招待してください）}}',
  'restored.ended.tokens': '{count, plural, other {アクセストークン #件（新しく作成してください）}}',
  'restored.ended.grants': '{count, plural, other {アプリとコマンドラインのサインイン #件}}',
  'restored.ended.deliveries': '{count, plural, other {待機中だった Webhook の配信 #件}}',
  'restored.ended.mails': '{count, plural, other {待機中だったメール #通}}',
  'restored.members': '{count, plural, other {確認するメンバー（#人）}}',
  'restored.members.text':
    'バックアップの後に削除された人やロールが変わった人も以前のままで、古いパスワードが再び有効になっています。',
  'restored.members.invited': '招待中',
  'restored.connections': '{count, plural, other {確認する Connection（#件）}}',
  'restored.connections.text':
    'バックアップの後に取り消された Connection は再び有効で、値を置き換えた Connection は古い値に戻っています。',
  'restored.connections.operator': 'すべての Workspace',
  'restored.review.none': 'ありません。',
  'restored.end': '一時停止の終了',
  'restored.end.text': '確認が済み、古いサーバーが完全になくなってから終了してください。',
  'restored.end.do': '一時停止を終了',
  'restored.end.ask': 'スケジュールされた処理を再開しますか？',
  'restored.end.what':
    'スケジュール、自動更新、フック、Webhook、メールがすぐに再開します。自動更新は、承認の要らない変更を適用することがあります。',
  'restored.end.other': '二つのサーバーが同じリソースを管理してはいけません。先に古いサーバーを停止してください。',
  'kit.title': 'リカバリーキット',
  'kit.what':
    'リカバリーキットは、このインストール環境の鍵をパスフレーズで暗号化したファイルです。鍵がなければ、バックアップの中の秘密の値とステートは誰にも読めません。',
  'kit.keep': 'ファイルはこのマシンから離れた場所に、パスフレーズはファイルとは別の場所に保管してください。',
  'kit.none': 'キットはまだ作成されていません。',
  'kit.made': '最新のキットは {at} のもので、現在の鍵が入っています。',
  'kit.outdated': '最新のキットは {at} のものです。その後に鍵が変更されたため、新しく作成してください。',
  'kit.create': 'リカバリーキットを作成',
  'kit.saved': '{name} として保存しました',
  'kit.saved.text': '安全な場所に移し、一度確認してください: groundctl recovery-kit check FILE',
  'kit.offer': '必要になる前にリカバリーキットを作成してください',
  'kit.offer.outdated': 'リカバリーキットが古くなっています',
  'kit.dismiss': '今はしない',
};
