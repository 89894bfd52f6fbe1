/** The texts of the product's own recipes, by their English. Those of an operator's recipe stay as they are written. */
export const recipeTexts: Readonly<Record<string, string>> = {
  'Access key ID': 'アクセスキー ID',
  'Secret access key': 'シークレットアクセスキー',
  'Session token': 'セッショントークン',
  'Credentials file': '認証情報ファイル',
  'Config file': '設定ファイル',
  'Key file (JSON)': 'キーファイル(JSON)',
  'Client ID': 'クライアント ID',
  'Client secret': 'クライアントシークレット',
  'Token address': 'トークンのアドレス',
  'Refresh token': 'リフレッシュトークン',
  Scope: 'スコープ',
  Audience: 'オーディエンス',
  'Tenant ID': 'テナント ID',
  'Subscription ID': 'サブスクリプション ID',
  'API token': 'API トークン',
  'API key': 'API キー',
  'Access key': 'アクセスキー',
  'Secret key': 'シークレットキー',
  'Project ID': 'プロジェクト ID',
  'Identity address': '認証サービスのアドレス',
  'Credential ID': '認証情報 ID',
  'Credential secret': '認証情報のシークレット',
  Region: 'リージョン',
  Address: 'アドレス',
  'Personal access token': '個人用アクセストークン',
  'Access token': 'アクセストークン',
  'API address of your own GitLab': '自社 GitLab の API アドレス',
  'E-mail of the account': 'アカウントのメールアドレス',
  'Host of your own installation': '自社環境のホスト',
  Kubeconfig: 'kubeconfig',
  'Address of the API server': 'API サーバーのアドレス',
  Token: 'トークン',
  'CA certificate (PEM)': 'CA 証明書(PEM)',
  Host: 'ホスト',
  User: 'ユーザー',
  Password: 'パスワード',
  Port: 'ポート',
  Database: 'データベース',
  'TLS mode': 'TLS モード',
  'Host and port': 'ホストとポート',
  Namespace: '名前空間',
  'Application key': 'アプリケーションキー',
  'API address of your site': 'サイトの API アドレス',
  'Account ID': 'アカウント ID',
  'User key': 'ユーザーキー',
  'REST API key': 'REST API キー',
  'Auth token': '認証トークン',
  Organisation: '組織',
  Domain: 'ドメイン',
  Tailnet: 'Tailnet',
  Account: 'アカウント',
  'Credentials and config files': '認証情報ファイルと設定ファイル',
  'Service account key': 'サービスアカウントキー',
  'Service principal with a client secret': 'サービスプリンシパルとクライアントシークレット',
  'Application credential': 'アプリケーション認証情報',
  'Kubeconfig file': 'kubeconfig ファイル',
  'Service account token': 'サービスアカウントトークン',
  'User and password': 'ユーザーとパスワード',
  'ACL token': 'ACL トークン',
  'API and application key': 'API キーとアプリケーションキー',
  'Machine-to-machine application': 'Machine-to-Machine アプリケーション',
  'API access token': 'API アクセストークン',
  'Environment variables': '環境変数',
  Files: 'ファイル',
  'A key of an IAM user, or a temporary one with its session token.':
    'IAM ユーザーのキー、またはセッショントークン付きの一時的なキーです。',
  'The files that the AWS command line keeps in your .aws folder.':
    'AWS コマンドラインが .aws フォルダーに保管しているファイルです。',
  'With certificates and tokens in the file itself; a config that starts a program to sign in does not work here.':
    '証明書やトークンがファイル自体に含まれている必要があります。サインインにプログラムを起動する設定は使えません。',
  'Names and values as the documentation of the provider gives them.': 'プロバイダーのドキュメントにある名前と値です。',
  'Files, each with the variable by which the provider learns where it is.':
    'ファイルと、その場所をプロバイダーに伝える変数です。',
  'Open IAM in the AWS console and choose the user that may do what the module does, and no more.':
    'AWS コンソールで IAM を開き、モジュールが行うことだけを許可されたユーザーを選びます。',
  'Under “Security credentials”, create an access key and copy both parts: the secret one is shown once.':
    '「セキュリティ認証情報」でアクセスキーを作成し、両方をコピーします。シークレットは一度しか表示されません。',
  'The session token is only for temporary keys, which come with three parts.':
    'セッショントークンは、3つの値で発行される一時的なキーにだけ必要です。',
  'Take the file “credentials” from the folder .aws of your home folder; best one with a single profile.':
    'ホームフォルダーの .aws にあるファイル「credentials」を使います。プロファイルが1つだけのものが最適です。',
  'Add “config” when a profile names a region or a role there. Profiles that start a program do not work here.':
    'プロファイルがリージョンやロールを指定している場合は「config」も追加します。プログラムを起動するプロファイルは使えません。',
  'Open “Service Accounts” in the Google Cloud console and choose the account that may do what the module does.':
    'Google Cloud コンソールで「サービス アカウント」を開き、モジュールが行うことを許可されたアカウントを選びます。',
  'Under “Keys”, add a key of type JSON. The file is downloaded once; drop it here as it is.':
    '「キー」で JSON タイプのキーを追加します。ファイルは一度だけダウンロードされるので、そのままここにドロップします。',
  'Register an application in Microsoft Entra ID; its overview shows the client ID and the tenant ID.':
    'Microsoft Entra ID にアプリケーションを登録します。概要にクライアント ID とテナント ID が表示されます。',
  'Give it a role on the subscription under “Access control (IAM)”.':
    '「アクセス制御 (IAM)」で、サブスクリプションに対するロールを割り当てます。',
  'Under “Certificates & secrets”, create a client secret and copy its value, which is shown once.':
    '「証明書とシークレット」でクライアントシークレットを作成し、一度だけ表示される値をコピーします。',
  'Under “My Profile → API Tokens”, create a token with the permissions and zones that the module needs.':
    '「My Profile → API Tokens」で、モジュールに必要な権限とゾーンを持つトークンを作成します。',
  'Under “API” in the control panel, generate a personal access token; it is shown once.':
    'コントロールパネルの「API」で個人用アクセストークンを生成します。一度だけ表示されます。',
  'In the project, open “Security → API tokens” and generate one with read and write; it is shown once.':
    'プロジェクトの「Security → API tokens」で、読み書き可能なトークンを生成します。一度だけ表示されます。',
  'Under your profile, open “API Tokens” and create a personal access token; it is shown once.':
    'プロフィールの「API Tokens」で個人用アクセストークンを作成します。一度だけ表示されます。',
  'Under “Account → API”, enable the API, copy the key, and let in the address this server calls from.':
    '「Account → API」で API を有効にしてキーをコピーし、このサーバーの接続元アドレスを許可します。',
  'Open “API keys” under IAM in the Scaleway console and generate one; the secret key is shown once.':
    'Scaleway コンソールの IAM にある「API keys」で生成します。シークレットキーは一度だけ表示されます。',
  'Create an application credential under “Identity” in the dashboard; its secret is shown once.':
    'ダッシュボードの「Identity」でアプリケーション認証情報を作成します。シークレットは一度だけ表示されます。',
  'Under “Datacenter → Permissions → API Tokens”, add a token; its secret is shown once.':
    '「Datacenter → Permissions → API Tokens」でトークンを追加します。シークレットは一度だけ表示されます。',
  'Under “Settings → Developer settings”, create a fine-grained personal access token.':
    '「Settings → Developer settings」で fine-grained の個人用アクセストークンを作成します。',
  'Choose the repositories and permissions that the module changes, and a day it ends on.':
    'モジュールが変更するリポジトリと権限、有効期限を選びます。',
  'Under “Access tokens” of your profile, group or project, add one with the scope “api”; it is shown once.':
    'プロフィール、グループまたはプロジェクトの「Access tokens」で、スコープ「api」のトークンを追加します。一度だけ表示されます。',
  'Under “Account Settings → Tokens”, create a token for the team that the module works in.':
    '「Account Settings → Tokens」で、モジュールが使うチームのトークンを作成します。',
  'Create one with “fly tokens create”, for one organisation or one application.':
    '「fly tokens create」で、1つの組織またはアプリケーション用に作成します。',
  'Copy the API key from “Account settings”, or create one with “heroku authorizations:create”.':
    '「Account settings」から API キーをコピーするか、「heroku authorizations:create」で作成します。',
  'Create a team or user token in its settings; it is shown once.':
    '設定でチームまたはユーザーのトークンを作成します。一度だけ表示されます。',
  'Print one whole cluster with “kubectl config view --minify --flatten --raw” and drop the result here.':
    '「kubectl config view --minify --flatten --raw」で1つのクラスターを出力し、結果をここにドロップします。',
  'Create a service account with the rights that the module needs and a token for it.':
    'モジュールに必要な権限を持つサービスアカウントと、そのトークンを作成します。',
  'Make a role that owns what the module creates, and no superuser unless it needs one.':
    'モジュールが作るものを所有するロールを作成します。必要な場合を除き、スーパーユーザーにはしません。',
  'Make a user with the grants that the module needs.': 'モジュールに必要な権限を持つユーザーを作成します。',
  'Create a token with the policies that the module needs and a time to live that covers a Run.':
    'モジュールに必要なポリシーを持ち、Run の間有効なトークンを作成します。',
  'Create a token with the policies that the module needs.': 'モジュールに必要なポリシーを持つトークンを作成します。',
  'Under “Organization Settings”, create an API key and an application key.':
    '「Organization Settings」で API キーとアプリケーションキーを作成します。',
  'Under “Administration → Service accounts”, add an account and a token to it; the token is shown once.':
    '「Administration → Service accounts」でアカウントを追加し、トークンを発行します。トークンは一度だけ表示されます。',
  'Under “API keys”, create a key of type “User”. The account ID stands beside it.':
    '「API keys」でタイプ「User」のキーを作成します。アカウント ID はその横に表示されます。',
  'Under “Integrations → API Access Keys”, create a key; it is shown once.':
    '「Integrations → API Access Keys」でキーを作成します。一度だけ表示されます。',
  'Create an internal integration or a personal token with the scopes that the module needs.':
    'モジュールに必要なスコープを持つ内部インテグレーションまたは個人用トークンを作成します。',
  'Under “Security → API → Tokens”, create a token; it has the rights of the account that creates it.':
    '「Security → API → Tokens」でトークンを作成します。作成した人の権限を持ちます。',
  'Create a machine-to-machine application for the Management API and copy what its settings show.':
    'Management API 用の Machine-to-Machine アプリケーションを作成し、設定に表示される値をコピーします。',
  'Under “Settings → Keys” of the admin console, generate an access token; it is shown once.':
    '管理コンソールの「Settings → Keys」でアクセストークンを生成します。一度だけ表示されます。',
  'Under “Account → Access tokens”, add a token. The account is the number in the address of the page.':
    '「Account → Access tokens」でトークンを追加します。アカウントはページのアドレスに含まれる番号です。',
  'Under “Account → API tokens”, create a token for the services that the module changes.':
    '「Account → API tokens」で、モジュールが変更するサービス用のトークンを作成します。',
};
