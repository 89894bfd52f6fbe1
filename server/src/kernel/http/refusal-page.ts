import type { AppError, RefusalPage } from '../errors.ts';
import { escaped, type PageLanguage, pageLanguageOf, plainPage } from './plain-page.ts';

type Message = { title: string; text?: string };
type Messages = Readonly<
  Record<'missing' | 'method' | 'signIn' | 'refused' | 'failed', Message> & { id: string; home: string }
>;

/** Texts of the pages. Without a `text` the message of the error is shown. */
const messages: Readonly<Record<PageLanguage, Messages>> = {
  en: {
    missing: { title: 'Page not found', text: 'The address may be mistyped, or the page no longer exists.' },
    method: { title: 'This address is for programs', text: 'It belongs to the API and has no page.' },
    signIn: { title: 'Sign in first', text: 'This address needs a session that is not over.' },
    refused: { title: 'The server refused this request' },
    failed: { title: 'The server cannot answer' },
    id: 'Request',
    home: 'Open Ground Control',
  },
  ja: {
    missing: {
      title: 'ページが見つかりません',
      text: 'アドレスが間違っているか、対象が削除された可能性があります。',
    },
    method: { title: 'このアドレスはプログラム用です', text: 'API のアドレスで、ページはありません。' },
    signIn: { title: 'サインインしてください', text: 'このアドレスには有効なセッションが必要です。' },
    refused: { title: 'サーバーがこのリクエストを拒否しました' },
    failed: { title: 'サーバーが応答できません' },
    id: 'リクエスト',
    home: 'Ground Control を開く',
  },
};

function kindOf(status: number): Exclude<keyof Messages, 'id' | 'home'> {
  if (status === 404) return 'missing';
  if (status === 405) return 'method';
  if (status === 401) return 'signIn';
  return status >= 500 && status !== 501 ? 'failed' : 'refused';
}

type Shown = { requestId: string; acceptLanguage: string };

/** Creates the page for a person whose browser navigated to an address of the API. */
export function refusalPage({ status, message }: AppError, { requestId, acceptLanguage }: Shown): RefusalPage {
  const lang = pageLanguageOf(acceptLanguage);
  const { id, home, ...kinds } = messages[lang];
  const { title, text } = kinds[kindOf(status)];
  const reason = text === undefined ? `<p lang="en">${escaped(message)}</p>` : `<p>${text}</p>`;
  return plainPage(
    lang,
    title,
    `${reason}\n<p>${id}: <code>${escaped(requestId)}</code></p>\n<p><a href="/">${home}</a></p>`,
  );
}
