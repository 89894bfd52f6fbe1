import type { apiRefusals as source } from '../en/refusals-api.ts';

export const apiRefusals: Record<keyof typeof source, string> = {
  'refusal.invalid_request':
    '送信された内容をサーバーが処理できませんでした。下に示された点を直してから再試行してください。',
  'refusal.invalid_json': '送信された内容が正しい JSON ではありません。ページを再読み込みしてから再試行してください。',
  'refusal.invalid_argument': '値が受け付けられませんでした。下に示された値を直してから再試行してください。',
  'refusal.idempotency_key_required':
    'リクエストに Idempotency-Key がありません。ページを再読み込みしてから再試行してください。',
  'refusal.install_link_invalid':
    'このインストールリンクは使用できません。新しいリンクを入手するか、リポジトリのアドレスを入力してください。',
  'refusal.invalid_session': 'セッションが終了しました。もう一度サインインしてください。',
  'refusal.invalid_token': 'トークンが誤っているか、取り消し済みか、期限切れです。別のトークンを使用してください。',
  'refusal.invalid_credentials': 'サインインの情報が正しくありません。確認してから再試行してください。',
  'refusal.unauthenticated': 'サインインしていません。サインインしてから再試行してください。',
  'refusal.unauthorized': '本人確認ができませんでした。もう一度サインインしてください。',
  'refusal.forbidden': 'この Workspace でのあなたの役割では実行できません。オーナーに依頼してください。',
  'refusal.insufficient_scope':
    'このトークンにはこの操作の権限がありません。必要なスコープを持つトークンを使用してください。',
  'refusal.csrf_failed':
    'リクエストがこのページからのものと確認できませんでした。ページを再読み込みしてから再試行してください。',
  'refusal.login_not_allowed': 'このアカウントではサインインできません。サーバーの管理者に問い合わせてください。',
  'refusal.workspace_membership_inactive':
    'この Workspace のメンバーとして有効ではありません。オーナーに問い合わせてください。',
  'refusal.not_found': '見つからないか、すでに削除されています。',
  'refusal.connection_not_found':
    'Connection が見つからないか、すでに削除されています。別の Connection を選んでください。',
  'refusal.token_not_found': 'トークンが見つからないか、すでに削除されています。一覧を再読み込みしてください。',
  'refusal.workspace_not_found':
    'Workspace が見つからないか、あなたはメンバーではありません。別の Workspace を選んでください。',
  'refusal.invitation_not_found': '招待が見つからないか、すでに無効です。新しい招待を依頼してください。',
  'refusal.method_not_allowed':
    'サーバーはこのアドレスでこの操作を受け付けません。ページがサーバーより古い可能性があるため、再読み込みしてください。',
  'refusal.request_timeout': 'リクエストの受信に時間がかかりすぎました。ネットワークを確認してから再試行してください。',
  'refusal.failed_precondition': '現在の状態では実行できません。ページを再読み込みして状態を確認してください。',
  'refusal.idempotency_conflict':
    '同じキーが別のリクエストですでに使用されています。ページを再読み込みしてから再試行してください。',
  'refusal.already_exists': '同じものがすでにあります。それを使うか、別の名前を選んでください。',
  'refusal.conflict': 'その間に内容が変更されました。ページを再読み込みしてから操作し直してください。',
  'refusal.reconcile_in_progress': 'インストールはすでに進行中です。しばらく待ってから確認してください。',
  'refusal.reconcile_conflict': 'その間にインストールが先へ進みました。再読み込みしてから続けてください。',
  'refusal.repository_install_ux_stale':
    '開いた後にリポジトリのインストール画面の内容が変わりました。もう一度リポジトリを調べてください。',
  'refusal.repository_install_ux_invalid':
    'リポジトリのインストール画面の定義が使えません。リポジトリで修正してから、もう一度リポジトリを調べてください。',
  'refusal.request_too_large': '一度に受け付けられる大きさを超えています。内容を減らしてください。',
  'refusal.unsupported_media_type':
    'サーバーはこの形式の内容を受け付けません。ページを再読み込みしてから再試行してください。',
  'refusal.misdirected_request': 'サーバーはこのアドレスでは応答しません。起動時に表示されたアドレスを開いてください。',
  'refusal.rate_limited': '要求が多すぎます。しばらく待ってから再試行してください。',
  'refusal.headers_too_large':
    'リクエストのヘッダーが大きすぎます。このサイトの Cookie を削除してから再試行してください。',
  'refusal.internal_error': 'サーバー内部でエラーが発生しました。詳細はサーバーのログにあります。再試行してください。',
  'refusal.capability_not_available': 'このサーバーではこの操作を利用できません。管理者に問い合わせてください。',
  'refusal.feature_unavailable':
    'この機能はこのバージョンにないか、無効になっています。使わずに続けるか、管理者に問い合わせてください。',
  'refusal.runner_unavailable':
    'この Run はサーバーのツールを使いますが、OpenTofu も Terraform も見つからないか、サーバーが必要とするサンドボックスが動きません。不足しているものをインストールするか、ランナーマシンのプールを選んでから再試行してください。',
  'refusal.ledger_read_only':
    'ディスクが一杯などの理由で、サーバーは現在変更を受け付けていません。後で再試行してください。',
  'refusal.fence_lost':
    '別のサーバーがこのインストール環境のフェンスを取得したため、このサーバーは変更を受け付けません。そのサーバーで作業するか、完全になくなっている場合はここで groundctl fence take を実行してください。',
  'refusal.fence_unconfirmed':
    'このサーバーは書き込みを許可されたサーバーであることを確認できないため、変更を受け付けません。NATS が再び応答すると再開します。',
  'refusal.vault_sealed':
    '保管庫が封印されているため、シークレットを読み取れません。封印を解いてから再試行してください。',
  'refusal.verification_unavailable': '現在、検証を行えません。後で再試行してください。',
  'refusal.inventory_unavailable': '現在、インベントリを読み取れません。後で再試行してください。',
  'refusal.workspace_authority_unavailable': '現在、Workspace での権限を確認できません。後で再試行してください。',
  'refusal.session_revocation_unavailable': '現在、セッションを終了できません。後で再試行してください。',
  'refusal.secret_like_value':
    'シークレットらしい値が含まれており、読める形で保存されてしまいます。取り除いてから再試行してください。',
  'refusal.plan_not_comparable': 'この Capsule の別のプランではありません。別のプランを選んでください。',
  'refusal.writable_path_refused': 'このフォルダーはモジュールに渡せません。自分の既存のフォルダーを指定してください。',
  'refusal.hold_end_invalid': '保留の終了日時には未来の日時を指定してください。',
  'refusal.empty_patch': '変更がありません。1 つ以上の項目を変更してから保存してください。',
  'refusal.handle_invalid': 'このハンドルは使用できません。別のハンドルを選んでください。',
  'refusal.handle_mismatch': 'この Workspace のハンドルと一致しません。表示されているとおりに入力してください。',
  'refusal.slug_invalid': 'この短縮名はアドレスに使用できません。別の短縮名を選んでください。',
  'refusal.role_invalid': 'そのようなロールはありません。owner、admin、member、viewer のいずれかを選んでください。',
  'refusal.password_too_weak':
    'このパスワードは使用できません。12～256 文字で、メールアドレスと異なるものにしてください。',
  'refusal.git_host_not_allowed':
    'このホストはローカル、予約済み、または許可されていないため、リポジトリを取得できません。公開アドレスを使用してください。',
  'refusal.git_http_not_allowed': '暗号化されない http:// は使用できません。https:// のアドレスを使用してください。',
  'refusal.git_file_not_allowed':
    'このマシン上のリポジトリは許可されていません。https:// のアドレスを使うか、管理者に許可を依頼してください。',
  'refusal.git_ssh_not_supported': 'SSH ではリポジトリを取得できません。https:// のアドレスを使用してください。',
  'refusal.git_scheme_not_supported':
    'この形式のアドレスには対応していません。リポジトリの https:// のアドレスを使用してください。',
  'refusal.git_url_credentials': 'アドレスにユーザー名またはパスワードが含まれています。取り除いてください。',
  'refusal.git_url_not_plain':
    'アドレスの形式が正しくありません。クエリ、フラグメント、空白、バックスラッシュのない完全なアドレスを入力してください。',
  'refusal.path_invalid': 'このパスは使用できません。「.」または「..」を含まない相対フォルダーを入力してください。',
  'refusal.backup_folder_invalid':
    'このフォルダーにはコピーを保存できません。GROUNDCTL_BACKUP_FOLDERS のいずれかのフォルダー以下にある、既存のフォルダーの絶対パスを指定してください。',
  'refusal.ref_invalid': 'この ref は使用できません。ブランチ、タグ、HEAD または完全なコミット ID を指定してください。',
  'refusal.connection_kind_mismatch': 'Connection の種類が必要なものと異なります。適切な Connection を選んでください。',
  'refusal.snapshot_paths_differ':
    '2 つのスナップショットはリポジトリ内の異なるフォルダーのものです。同じフォルダーのものを選んでください。',
  'refusal.snapshot_file_reserved':
    'このファイルはサーバーが管理しているため表示できません。別のファイルを開いてください。',
  'refusal.snapshot_file_not_regular':
    'これはフォルダー、リンク、またはサブモジュールです。通常のファイルを開いてください。',
  'refusal.snapshot_file_too_large': 'ファイルが大きすぎるため表示できません。リポジトリで確認してください。',
  'refusal.snapshot_file_invalid_utf8':
    'ファイルが UTF-8 のテキストではないため表示できません。リポジトリで開いてください。',
  'refusal.module_path_required': 'スナップショットに複数のモジュールがあります。1 つ選んでください。',
  'refusal.module_path_not_found':
    'スナップショットのこのパスには、設定ファイルを含むフォルダーがありません。パスを直すか、一覧のモジュールを選んでください。',
  'refusal.dependency_self': 'Capsule は自分自身に依存できません。別の Capsule を選んでください。',
  'refusal.dependency_outputs_empty': 'Output とその渡し先の変数を 1 つ以上選んでください。',
  'refusal.remote_state_cross_workspace':
    'state は Workspace の外に渡せません。必要な Output だけを共有してもらってください。',
  'refusal.share_outputs_empty': '共有する Output を 1 つ以上選んでください。',
  'refusal.share_output_unknown':
    '現在の state にこの名前の Output はありません。先に Capsule を適用するか、別の Output を選んでください。',
  'refusal.share_output_sensitive': 'この Output は機密です。共有する理由を入力するか、対象から外してください。',
  'refusal.install_variable_invalid': '入力が受け付けられませんでした。直してからもう一度プランしてください。',
  'refusal.install_variable_required': '必須の入力がありません。入力してからもう一度プランしてください。',
  'refusal.provider_binding_mismatch':
    'プロバイダーの割り当てがモジュールのプロバイダーと一致しません。選び直してください。',
  'refusal.provider_binding_duplicate':
    '同じプロバイダー設定に 2 回割り当てられています。Connection を 1 つ選んでください。',
  'refusal.preflight_required': '事前のチェックが必要です。チェックを実行してから再試行してください。',
  'refusal.connection_material_missing': 'Connection に必要な値がないか空です。入力してください。',
  'refusal.module_registry_invalid':
    'ホストは app.terraform.io のようなモジュールアドレスのホスト、モジュールは 名前空間/名前/プロバイダー で入力してください。',
  'refusal.object_storage_invalid':
    'バケットの設定が足りないか誤っています。パスのない https:// のアドレスとバケット名を入力してください。',
  'refusal.recipe_unknown': 'このレシピは存在しないか、別のプロバイダー用です。合うものを選んでください。',
  'refusal.auth_mode_unknown':
    'このレシピにその認証方式はないか、このサーバーでは使えません。別の方式を選んでください。',
  'refusal.env_name_undeclared':
    'レシピにない名前か、重複した名前か、ツール自体の動作を変える名前です。直してください。',
  'refusal.env_group_incomplete': '一緒に必要な値が足りません。下に示されたものを入力してください。',
  'refusal.file_path_invalid': 'このファイルパスは使えません。レシピが示すパスか、単純な相対パスを使ってください。',
  'refusal.import_state_encrypted':
    'state は暗号化されています。モジュールのフォルダーで tofu state pull を実行し、その出力をアップロードしてください。',
  'refusal.import_state_version_unsupported':
    'state が形式 4 ではありません。現行のツールでプランを実行してその形式に変換し、もう一度アップロードしてください。',
  'refusal.import_state_invalid':
    'ファイルが破損しているか、state ではありません。モジュールのフォルダーで tofu state pull を実行し、その出力をアップロードしてください。',
  'refusal.runner_pool_default_invalid': '既定のプールは、Workspace が使えるプールの中から選んでください。',
  'refusal.nats_configuration_invalid':
    'ポート付きのアドレスと、引用符を含まないパスを指定してください。証明書と鍵は両方必要です。クラスターのメンバーには名前、アドレス、ルートが必要で、証明書を使う場合はメンバーの認証局も必要です。',
  'refusal.webhook_url_invalid':
    'アドレスは https:// で始め、ホストを含めてください。ユーザー名、パスワード、フラグメントは使えません。',
  'refusal.webhook_address_not_allowed':
    'このホストはこのマシンまたはプライベートネットワーク内にあります。公開されているホストを使うか、サーバーの管理者に許可を依頼してください。',
  'refusal.install_config_patch_invalid':
    'InstallConfig の修正内容に誤りがあるため、何も変更していません。下に示された箇所を修正してください。',
  'refusal.form_package_invalid':
    'フォームパッケージに誤りがあるため、インストールされませんでした。以下の内容を修正してから、もう一度お試しください。',
  'refusal.capsule_configuration_redacted_value_reserved':
    '隠された値の代わりの表示が、値として送信されました。実際の値を入力するか、変更しないでください。',
  'refusal.capsule_configuration_manifest_user_variable_invalid':
    'この Capsule のマニフェストはこの名前の変数を求めていません。名前を確認するか、取り除いてください。',
  'refusal.capsule_configuration_generic_variable_invalid':
    'モジュールにこの名前の変数はありません。名前を確認するか、取り除いてください。',
  'refusal.capsule_configuration_required_value_missing': '既定値のない変数に値がありません。値を入力してください。',
  'refusal.capsule_configuration_value_type_mismatch': '値が変数の型と一致しません。値を直してください。',
  'refusal.capsule_configuration_current_value_invalid':
    '引き継がれる値が有効ではなくなっています。設定し直すか、取り除いてください。',
};
