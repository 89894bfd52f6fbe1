import type { interfaces as en } from '../en/interfaces.ts';

export const interfaces: Record<keyof typeof en, string> = {
  'interfaces.reason.InvalidResolvedInputs':
    '必要な値がないか、機密であるか、公開されていません。モジュールの公開 Output にしてから、Capsule をプランして適用してください。Resource の値の場合は、その Resource をもう一度適用してください。',
  'interfaces.reason.InvalidResourceUri':
    'アドレスが Web アドレスではありません。値を持つ Output を修正してから、Capsule をプランして適用してください。',
  'interfaces.reason.OwnerNotReady':
    'Capsule が適用されていないか、Workspace がアーカイブされています。Capsule を適用するか、Workspace のアーカイブを解除してください。',
  'interfaces.reason.OwnerDestroyQueued':
    'Capsule を削除しています。削除に失敗した場合は、また利用できるようになります。',
  'interfaces.reason.PolicyDenied': 'このサーバーのポリシーで許可されていません。運用者に依頼してください。',
  'interfaces.reason.UnsupportedPolicy':
    'このサーバーが対応していないポリシーを求めています。運用者に依頼してください。',
  'interfaces.reason.RunFailed':
    '値ができる前に、前回の適用が失敗しました。原因を修正してから、Capsule をプランして適用してください。',
  'interfaces.reason.ResolverUnavailable':
    '現在の state から値を読み取れません。Capsule をもう一度プランして適用してください。',
  'binding.reason.InterfaceNotReady': 'Interface が利用可能になると使えます。',
  'binding.reason.UnsupportedDelivery':
    'このサーバーはこの方法で認証情報を渡せません。取り消して、別の方法で許可してください。',
  'binding.reason.UnsupportedDeliveryConfiguration':
    'このサーバーは認証情報のオプションに対応していません。取り消して、オプションなしで許可してください。',
  'binding.reason.OAuthResourceUnavailable':
    'トークンが必要ですが、このサーバーはまだトークンを発行しないか、アドレスが HTTPS ではありません。',
  'binding.reason.OAuthResourceAuthorityUnavailable':
    'Capsule または Resource がアドレスのホストを管理している証明がありません。運用者に記録を依頼してください。',
  'binding.reason.OAuthResourceUnauthorized':
    'トークンはユーザーにのみ発行されます。代わりにユーザーを許可してください。',
  'binding.reason.OAuthResourceClaimPending': 'この Interface のためにアドレスを確保しています。',
  'binding.reason.OAuthResourceConflict':
    '別の Interface (ほかの Workspace の場合もあります) が同じアドレスを確保しています。その Interface を廃止するか、アドレスを変更するか、ホストを管理している証明の記録を運用者に依頼してください。',
  'binding.reason.DeliveryHandlerFailed': '認証情報を渡せませんでした。取り消して、もう一度許可してください。',
  'interfaces.failure.interface_name_conflict':
    'この Workspace の別の Interface が同じ名前を使っています。どちらかの名前を変更するか廃止してから、もう一度試してください。',
  'interfaces.failure.installing_principal_unavailable':
    'インストールした人はもうメンバーではありません。もう一度追加してから、再試行してください。',
  'interfaces.failure.subject_unavailable':
    '許可するユーザーまたは Capsule がもう存在しません。構成を変更してから、Capsule をプランして適用してください。',
  'interfaces.failure.interface_document_refused':
    '説明が正しくないか、認証情報が含まれている可能性があります。モジュールを修正してから、Capsule をプランして適用してください。',
  'interfaces.failure.ledger_unavailable':
    'サーバーが書き込めませんでした。サーバーのログを確認してから、もう一度試してください。',
  'apps.title': 'アプリ',
  'apps.lead': 'インストールしたモジュールが提供する、ブラウザーで開くアプリと、ほかのプログラム向けのサーバーです。',
  'apps.all': 'すべてのアプリ',
  'apps.open': '開く',
  'apps.open.of': '{name} を開く',
  'apps.noAddress': 'Web アドレスがありません',
  'apps.refused':
    'アドレスまたは開ける人が変わったため、「{name}」を開きませんでした。再読み込みして、現在開けるアプリを確認してください。',
  'apps.reload': 'アプリを再読み込み',
  'apps.notAllowed': 'このアプリを開く権限がありません。オーナーまたは管理者が「利用できる人」で許可できます。',
  'apps.empty.title': '開けるアプリはありません',
  'apps.empty.text': 'Capsule が適用され、開くことを許可されると、ここに表示されます。',
  'capsule.tab.interfaces': 'Interface',
  'interfaces.all': 'すべての Interface',
  'interfaces.name': '名前',
  'interfaces.kind': '種類',
  'interfaces.kind.any': 'すべての種類',
  'interfaces.kind.launcher': 'アプリ',
  'interfaces.kind.mcp': 'MCP サーバー',
  'interfaces.kind.fileHandler': 'ファイルハンドラー',
  'interfaces.owner': '提供元',
  'interfaces.of': '提供元: {name}',
  'interfaces.status': '状態',
  'interfaces.phase.Pending': '保留中',
  'interfaces.phase.Resolved': '利用可能',
  'interfaces.phase.NotReady': '利用不可',
  'interfaces.phase.Unknown': '不明',
  'interfaces.phase.Terminating': '削除中',
  'interfaces.phase.Retired': '廃止済み',
  'interfaces.notReady': '現在は利用できません',
  'interfaces.retired.title': '廃止済み',
  'interfaces.retired.text': 'もう誰も利用できません。履歴はアクティビティに残ります。',
  'interfaces.empty.title': 'Interface はありません',
  'interfaces.empty.text':
    'マニフェストのあるモジュールは、アプリ、MCP サーバー、ファイルハンドラーを提供できます。適用時に作成されます。',
  'interfaces.empty.kind': 'この Workspace には、この種類の Interface はありません。',
  'interfaces.empty.capsule':
    'この Capsule は Interface を提供していません。モジュールがマニフェストで宣言し、適用時に作成されます。',
  'interfaces.failure.title': '適用後に Interface を作成できませんでした',
  'interfaces.connect': '接続',
  'interfaces.address': 'アドレス',
  'interfaces.clientEntry': 'クライアントの設定',
  'interfaces.resource': 'トークンの対象',
  'interfaces.document': '説明',
  'interfaces.users': '利用できる人',
  'interfaces.users.none': 'まだ誰も利用できません。',
  'interfaces.capsule': 'Capsule {name}',
  'interfaces.formResource': 'Resource {name}',
  'interfaces.may': '{who}は次の権限で利用できます: {permissions}',
  'interfaces.may.launcher': '{who}はこれを開けます',
  'interfaces.may.mcp': '{who}はこのツールを利用できます',
  'interfaces.may.fileHandler': '{who}はこれでファイルを開けます',
  'binding.origin.capsule_blueprint': 'モジュールによる',
  'binding.origin.capsule_required_interface': 'インストールしたモジュールに必要',
  'binding.delivery': '認証情報',
  'binding.delivery.none': 'なし',
  'binding.delivery.none.help': 'このサーバーは何も渡しません。誰を受け入れるかは、接続先のプログラムが決めます。',
  'binding.delivery.oauth2': 'OAuth トークン',
  'binding.delivery.oauth2.help': 'このサーバーが、アドレスに対する短期間のトークンをユーザーにのみ発行します。',
  'binding.delivery.other': '認証情報: {type}',
  'interfaces.grant': '許可…',
  'interfaces.grant.title': '「{name}」を利用できる人',
  'interfaces.grant.who': 'ユーザー、Capsule または Resource',
  'interfaces.grant.who.wrong': 'ユーザー、Capsule または Resource を選択してください。',
  'interfaces.grant.choose': '選択…',
  'interfaces.grant.people': 'ユーザー',
  'interfaces.grant.formResources': 'Resource',
  'interfaces.grant.you': '自分',
  'interfaces.grant.launcher': '開けるようになり、相手のアプリに表示されます。',
  'interfaces.grant.mcp': 'このサーバーが発行するトークンで、ツールを利用できるようになります。',
  'interfaces.grant.mcp.capsule': 'ツールを利用できるようになります。トークンはユーザーにのみ発行されます。',
  'interfaces.grant.fileHandler': 'これでファイルを開けるようになります。',
  'interfaces.grant.more': '権限と認証情報',
  'interfaces.grant.do': '許可',
  'interfaces.permissions': '権限',
  'interfaces.permissions.help': 'Interface が定める権限を、空白で区切って入力します。',
  'interfaces.permissions.wrong': '重複のない 1 から 16 個の権限を、引用符とバックスラッシュなしで入力してください。',
  'interfaces.revoke': '取り消す',
  'interfaces.revoke.of': '{name} の許可を取り消す',
  'interfaces.revoke.title': '{name} の許可を取り消しますか?',
  'interfaces.revoke.text': 'すぐに有効になります。もう一度許可できます。',
  'interfaces.revoke.fromModule':
    'すぐに有効になります。モジュールに変更がなければ、次の適用でも元に戻りません。もう一度許可できます。',
  'interfaces.revoke.required':
    'すぐに有効になります。インストールしたモジュールに必要なため、アカウントがこの Interface を再び利用できるようになるまで、その Capsule の次のプランは失敗します。',
  'interfaces.retire': '廃止…',
  'interfaces.retire.do': '廃止する',
  'interfaces.retire.title': '「{name}」を廃止しますか?',
  'interfaces.retire.text':
    'もう誰も利用できなくなり、元に戻せません。モジュールに変更がなければ、次の適用でも元に戻りません。',
  'interfaces.values': '値とその由来',
  'interfaces.values.none': '現在は値がありません',
  'interfaces.values.literal': '固定の値',
  'interfaces.values.output': 'Output {output}、提供元',
  'interfaces.values.resource': '次の Resource の Output:',
  'interfaces.values.generation': 'Resource の世代 {generation}',
  'interfaces.values.run': 'Run',
  'interfaces.values.digest': 'Output のダイジェスト',
};
