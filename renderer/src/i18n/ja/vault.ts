import type { vault as source } from '../en/vault.ts';

export const vault: Record<keyof typeof source, string> = {
  'vault.forbidden.title': 'このインストール環境のオーナーだけが利用できます',
  'vault.forbidden.text':
    '鍵は Workspace ではなくインストール環境全体のものなので、オーナーだけが確認と変更を行えます。ご自身がオーナーの場合は、所有している Workspace に切り替えてください。',
  'vault.missed.title': 'キーチェーンを利用できなかったため、鍵はファイルにあります',
  'vault.missed.text': 'キーチェーンが使えるようになったら、下で鍵を移せます。',
  'vault.where': '鍵の場所',
  'vault.what':
    'トークン、state、プラン、機密の値はデータフォルダーに封印されています。この鍵はそのすべてを開くため、データとは別に保管する必要があります。',
  'vault.place': '場所',
  'vault.place.keychain': '項目',
  'vault.place.file': 'パス',
  'vault.made': '作成',
  'vault.keyId': '鍵',
  'vault.now': '現在',
  'vault.keychain': 'このマシンのキーチェーン',
  'vault.keychain.text':
    'オペレーティングシステムがほかのパスワードと一緒に保管します。このマシンにサインインしている間に開けます。',
  'vault.keychain.backup':
    'データフォルダーのコピーやバックアップだけでは、別のマシンでも何も開けません。キーチェーンもバックアップするか、フォルダーを移す前に鍵をパスフレーズに変更してください。',
  'vault.file': '鍵ファイル',
  'vault.file.text': 'あなたのユーザーだけが読めるファイルです。サーバーは起動時に自動で保管庫を開きます。',
  'vault.file.backup':
    'データフォルダーとこのファイルの両方を持つ人は、すべてを読めます。ファイルはフォルダーとは別の場所にバックアップしてください。失うと、封印されたものは二度と開けません。',
  'vault.passphrase': 'パスフレーズ',
  'vault.passphrase.text':
    'あなたが覚えている言葉から鍵を作ります。サーバーの起動時に入力が必要です(パスフレーズのファイルを指定している場合を除きます)。',
  'vault.passphrase.backup':
    'データフォルダーのバックアップとパスフレーズがそろえば、どこでも開けます。忘れたパスフレーズは再発行できず、封印されたものは二度と開けません。',
  'vault.passphrase.new': '新しいパスフレーズ',
  'vault.passphrase.again': 'もう一度入力',
  'vault.passphrase.help': '{least, number}文字以上。互いに関係のない複数の単語が適しています。',
  'vault.passphrase.short': '{least, number}文字以上で入力してください。',
  'vault.passphrase.differs': '2つの入力が一致しません。入力し直してください。',
  'vault.change': '鍵または場所の変更',
  'vault.change.text':
    '新しい鍵を作って選んだ場所に保管し、古い鍵は元の場所から取り除きます。封印し直す必要はなく、Run はそのまま続きます。',
  'vault.change.same': '同じ場所に新しい鍵を作る',
  'vault.change.move': '鍵を移す',
  'vault.change.ask': '鍵の新しい場所: {place}',
  'vault.change.do': '新しい鍵を作る',
  'vault.change.what':
    'データフォルダーの古いバックアップには、取り除かれる古い鍵が必要です。変更後に新しいバックアップを作成してください。',
  'vault.changed': '新しい鍵を使用しています。',
  'vault.change.refused': 'そこには鍵を保管できません。何も変更されていません。',
  'vault.rotate': 'データ鍵のローテーション',
  'vault.rotate.text':
    'データ用の新しい鍵を作り、すべてをバックグラウンドで封印し直します。データフォルダーとその鍵のコピーが他人の手に渡ったおそれがあるときに行ってください。',
  'vault.rotate.do': 'ローテーション',
  'vault.rotate.ask': 'すべてを封印し直しますか？',
  'vault.rotate.what':
    'バックグラウンドで進み、再起動後も続きます。その間も作業できます。古い鍵は不要になり次第取り除かれます。',
  'vault.job.retrofit': '以前のバージョンの封印を引き継いでいます: {count, number} 件',
  'vault.job.rotation': '封印し直しています: {count, number} 件',
  'vault.job.done': '{count, number} 件を封印し直しました。完了:',
  'vault.oldKeys': 'まだ必要とするプラン、Run、値のために、古い鍵を {count, number} 個保管しています。',
  'vault.unreadable': 'どの鍵でも開けない値が {count, number} 件あります',
  'vault.unreadable.text':
    '残っている間は古い鍵を保管します。鍵を失った場合は、バックアップから戻してもう一度ローテーションしてください。',
  'seal.title': 'Ground Control はロックされています',
  'seal.place': '鍵の場所:',
  'seal.text': '変更や削除されたものはありません。鍵がそろうまで、表示や実行はできません。',
  'seal.why.key_missing':
    '鍵がありません。鍵ファイルまたはキーチェーンの項目が元の場所にありません。バックアップから戻して、もう一度お試しください。',
  'seal.why.key_wrong':
    '鍵はありますが、このデータを封印した鍵ではありません。正しい鍵を戻して、もう一度お試しください。',
  'seal.why.key_file_refused':
    '鍵ファイルを使えません。他のユーザーが読める、壊れている、または読み書きできない状態です。修正して、もう一度お試しください。',
  'seal.why.keychain_locked':
    'このマシンのキーチェーンがロックされています。ロックを解除して、もう一度お試しください。',
  'seal.why.keychain_unavailable': 'このマシンのキーチェーンが応答しません。起動してから、もう一度お試しください。',
  'seal.why.passphrase_required': 'パスフレーズの入力を待っています。',
  'seal.why.passphrase_wrong': 'パスフレーズが正しくありません。入力し直してください。',
  'seal.why.unknown': '現在、鍵を取得できません。',
  'seal.token': 'オペレータートークン',
  'seal.token.help':
    '現在はサインインを確認できないため、このサーバーの運用者であることを示すのに使います。データフォルダーのファイル「operator-token」にあります。',
  'seal.token.missing': 'オペレータートークンを貼り付けてください。',
  'seal.token.wrong': 'このサーバーのオペレータートークンではありません。ファイルの行全体をコピーしてください。',
  'seal.passphrase': 'パスフレーズ',
  'seal.passphrase.help': '保管庫を開くためだけに使われ、どこにも保存されません。',
  'seal.passphrase.missing': 'パスフレーズを入力してください。',
  'seal.open': '開く',
  'seal.again': '再試行',
  'seal.still': '上の理由により、まだロックされています。',
  'seal.shell': 'または、サーバーのマシンのシェルから開きます:',
  'seal.look': '開きました。続ける',
};
