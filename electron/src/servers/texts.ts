import { app } from 'electron';
import type { PersonalEvent } from '#shared/notifications/contract';
import { personalTexts } from '#shared/notifications/personal-texts';
import type { AddressRefusal } from './address.ts';
import type { NameRefusal } from './saved.ts';

export type ServerTexts = {
  menu: string;
  local: string;
  manage: string;
  manageTitle: string;
  none: string;
  add: string;
  address: string;
  addressHelp: string;
  name: string;
  open: string;
  rename: string;
  remove: string;
  cancel: string;
  close: string;
  chooseTitle: string;
  chooseText: string;
  notSaved: string;
  refusals: Record<AddressRefusal | NameRefusal, string>;
  removeQuestion(name: string): string;
  removeDetail: string;
  openAddress(name: string): string;
  openApp(name: string): string;
  openAppDetail: string;
  openInBrowser: string;
  download(name: string): string;
  downloadDetail: string;
  signIn(name: string): string;
  signInDetail: string;
  continue: string;
  signInTitle(name: string): string;
  issuerChanged(name: string): string;
  issuerDetail(before: string, after: string): string;
  trust: string;
  certificateRefused: string;
  unreachable(reason: string): string;
  crashed: string;
  notices: Record<PersonalEvent, string>;
};

const en: ServerTexts = {
  menu: 'Servers',
  local: 'This machine',
  manage: 'Manage Servers…',
  manageTitle: 'Servers',
  none: 'No saved servers. Add the address of the server that your team runs.',
  add: 'Add server',
  address: 'Address',
  addressHelp: 'Such as https://ground.example. http only for a server on this machine.',
  name: 'Name',
  open: 'Open',
  rename: 'Rename',
  remove: 'Remove',
  cancel: 'Cancel',
  close: 'Close',
  chooseTitle: 'Choose a server',
  chooseText: 'Which server takes this install link? It is shown for review, and nothing is installed yet.',
  notSaved:
    'The list of servers cannot be written. Check the free space and the permissions of the application folder.',
  refusals: {
    invalid: 'This is not the address of a server. Type an address such as https://ground.example.',
    credentials: 'The address contains a user name or password. Remove it; you sign in on the page of the server.',
    insecure: 'Other machines must be reached by https. Type the address with https.',
    'this-machine': 'This address belongs to the server of this desktop. Choose “This machine” in the menu instead.',
    known: 'This server is saved already.',
    'name-invalid': 'A name has 1 to 60 visible characters.',
    'name-known': 'Another server has this name. Choose another one.',
    'too-many': 'The list is full. Remove a server first.',
  },
  removeQuestion: (name) => `Remove “${name}”?`,
  removeDetail:
    'Its sign-in and everything that its pages stored on this machine are deleted. Nothing changes on the server.',
  openAddress: (name) => `“${name}” opens this address in your browser. Continue?`,
  openApp: (name) => `“${name}” opens an app with this link. Continue?`,
  openAppDetail: 'This app is notified that the requested installation is complete:',
  openInBrowser: 'Open in the Browser',
  download: (name) => `“${name}” cannot store files from this window.`,
  downloadDetail: 'Open the server in your browser to download files.',
  signIn: (name) => `“${name}” signs you in at this address. Continue?`,
  signInDetail: 'Continue only if you know the address. It opens in a window of its own:',
  continue: 'Continue',
  signInTitle: (name) => `Sign-in for ${name}`,
  issuerChanged: (name) => `The certificate of “${name}” comes from another authority.`,
  issuerDetail: (before, after) =>
    `Before: ${before}\nNow: ${after}\n\nContinue only if the operator of the server announced this. Otherwise someone may read the connection.`,
  trust: 'Trust This Authority',
  certificateRefused: 'The certificate of this server was refused, so nothing was sent to it.',
  unreachable: (reason) => `The server cannot be reached (${reason}). Choose View → Reload to try again.`,
  crashed: 'The page has crashed. Choose View → Reload to load it again.',
  notices: personalTexts.en,
};

const ja: ServerTexts = {
  menu: 'サーバー',
  local: 'このマシン',
  manage: 'サーバーの管理…',
  manageTitle: 'サーバー',
  none: '保存済みのサーバーはありません。チームのサーバーのアドレスを追加してください。',
  add: 'サーバーを追加',
  address: 'アドレス',
  addressHelp: '例: https://ground.example。http はこのマシン上のサーバーだけに使えます。',
  name: '名前',
  open: '開く',
  rename: '名前を変更',
  remove: '削除',
  cancel: 'キャンセル',
  close: '閉じる',
  chooseTitle: 'サーバーを選択',
  chooseText:
    'このインストールリンクをどのサーバーで開きますか? 確認画面が表示されるだけで、まだ何もインストールされません。',
  notSaved: 'サーバーの一覧を書き込めません。空き容量とアプリケーションフォルダーの権限を確認してください。',
  refusals: {
    invalid: 'サーバーのアドレスではありません。https://ground.example のように入力してください。',
    credentials:
      'アドレスにユーザー名またはパスワードが含まれています。取り除いてください。サインインはサーバーのページで行います。',
    insecure: 'ほかのマシンには https で接続する必要があります。https のアドレスを入力してください。',
    'this-machine': 'このアドレスはこのデスクトップのサーバーです。メニューの「このマシン」を選択してください。',
    known: 'このサーバーは保存済みです。',
    'name-invalid': '名前は表示可能な文字 1 ~ 60 文字で入力してください。',
    'name-known': '同じ名前のサーバーがあります。別の名前を入力してください。',
    'too-many': '一覧がいっぱいです。先にサーバーを削除してください。',
  },
  removeQuestion: (name) => `「${name}」を削除しますか?`,
  removeDetail:
    'サインインの状態と、そのページがこのマシンに保存したデータがすべて削除されます。サーバー側は何も変わりません。',
  openAddress: (name) => `「${name}」が次のアドレスをブラウザーで開きます。続けますか?`,
  openApp: (name) => `「${name}」が次のリンクでアプリを開きます。続けますか?`,
  openAppDetail: '依頼されたインストールの完了を、次のアプリに伝えます:',
  openInBrowser: 'ブラウザーで開く',
  download: (name) => `「${name}」はこのウインドウからファイルを保存できません。`,
  downloadDetail: 'ファイルをダウンロードするには、サーバーをブラウザーで開いてください。',
  signIn: (name) => `「${name}」は次のアドレスでサインインを行います。続けますか?`,
  signInDetail: '知っているアドレスの場合だけ続けてください。別のウインドウで開きます:',
  continue: '続ける',
  signInTitle: (name) => `${name} へのサインイン`,
  issuerChanged: (name) => `「${name}」の証明書の発行者が変わりました。`,
  issuerDetail: (before, after) =>
    `以前: ${before}\n現在: ${after}\n\nサーバーの管理者から知らされている場合だけ続けてください。そうでない場合、通信が盗聴されているおそれがあります。`,
  trust: 'この発行者を信頼する',
  certificateRefused: 'このサーバーの証明書を拒否したため、何も送信していません。',
  unreachable: (reason) =>
    `サーバーに接続できません (${reason})。再試行するには「表示」→「再読み込み」を選択してください。`,
  crashed: 'ページがクラッシュしました。「表示」→「再読み込み」で読み込み直してください。',
  notices: personalTexts.ja,
};

/** Texts about saved servers, in the system's language. Available once the app is ready. */
export const serverTexts = (): ServerTexts => (app.getLocale().startsWith('ja') ? ja : en);
