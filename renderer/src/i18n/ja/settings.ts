import type { settings as source } from '../en/settings.ts';

export const settings: Record<keyof typeof source, string> = {
  'settings.lead': 'このブラウザーでの表示と、ほかの設定への入口です。',
  'settings.appearance': '表示と言語',
  'settings.appearance.text': 'このブラウザーに保存されます。',
  'settings.keyboard': 'キーボード',
  'settings.keyboard.show': 'キーの一覧を表示',
  'settings.more': 'その他の設定',
  'settings.more.workspace': '名前、ポリシー、Project、アーカイブ、削除',
  'settings.more.members': '閲覧、提案、承認できる人',
  'settings.more.account': 'セッションとパスワード',
  'settings.more.tokens': 'プログラムとコマンドライン用',
  'settings.more.api': 'このサーバーのすべてのルート',
  'settings.installation': 'このインストール',
};
