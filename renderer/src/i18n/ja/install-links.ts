import type { installLinks as source } from '../en/install-links.ts';

export const installLinks: Record<keyof typeof source, string> = {
  'link.title': 'インストールリンクの確認',
  'link.lead':
    'リンクが、ここにモジュールをインストールするよう求めています。内容を確認してください。まだ何も取得していません。',
  'link.asks': 'リンクが求めている内容',
  'link.host': 'ホスト',
  'link.moduleOpen': '中身を見たときに決まります',
  'link.name': '名前',
  'link.product': '製品',
  'link.returnTo': '戻り先',
  'link.returnWeb': '(Web ページ)',
  'link.returnApp': '(この端末のアプリ)',
  'link.returnText':
    'apply が成功すると、そこへ戻るリンクが表示されます。リンクはこのサーバーのアドレス、製品、Run、Capsule を伝えます。自動で開くことはありません。',
  'link.next': 'リポジトリを読み取り、モジュールを検査します。その後、入力と plan の確認に進みます。',
  'link.notNow': '今はしない',
  'link.punycode': 'ほかの文字と見間違えやすい文字を含むホストです',
  'link.punycodeText': 'このアドレスに心当たりがある場合だけ続けてください:',
  'link.moduleMissing': 'リンクが指定するモジュールは、このコミットにありません',
  'link.moduleMissingText':
    'ほかのモジュールで代用することはありません。正しいリンクを確認するか、上のアドレスを変更してリンクなしで続けてください。',
  'link.refused': 'このインストールリンクは受け付けられません',
  'link.refusedField': '項目:',
  'link.refusedText':
    'リンクは全体として受け付けるか、拒否するかのどちらかです。何も取得しておらず、何も変更していません。リンクの提供元に、正しいリンクを確認してください。',
  'link.enterOwn': 'アドレスを自分で入力する',
  'link.refused.unknown_field': 'リンクに、インストールリンクにはない項目があります',
  'link.refused.duplicate_field': 'リンクに同じ項目が 2 回あります',
  'link.refused.invalid_field': 'リンクの項目に、使用できない値があります',
  'link.refused.variables_not_allowed': 'リンクがモジュールの入力を指定しています。入力はこの画面でのみ行えます',
  'link.refused.target_missing': 'リンクに、何をインストールするかが書かれていません',
  'link.refused.target_ambiguous': 'リンクが、インストールするものを 2 通りに指定しています',
  'link.refused.return_pair_incomplete': 'product と return_uri は組で使いますが、リンクには片方しかありません',
  'link.refused.return_uri_forbidden': 'リンクの戻り先が、許可されていない種類のアドレスです',
  'return.title': '{product} に戻る',
  'return.text': 'このインストールを始めたリンクが、完了の通知を求めています。',
  'return.tells': 'このサーバーのアドレス、製品、この Run、Capsule を伝えます:',
  'return.go': '{place} に戻る',
  'return.later': 'apply が成功すると、{product} へ戻るリンクが表示されます:',
};
