import { createHash } from 'node:crypto';
import type { RefusalPage } from '#server/kernel/errors';
import type { InstallLinkReason } from '#shared/errors';
import type { LinkRefusal } from '#shared/sources/install-link';

type Words = Readonly<Record<InstallLinkReason | 'title' | 'nothing' | 'field' | 'next' | 'own', string>>;

const en: Words = {
  title: 'This install link is refused',
  unknown_field: 'The link has a field that install links do not have. A link is taken as a whole or not at all.',
  duplicate_field: 'The link has a field twice, so it is not clear what it asks for.',
  invalid_field: 'The link has a field with a value that it cannot have.',
  variables_not_allowed: 'The link sets an input of the module. Inputs are entered here and never travel in a link.',
  target_missing: 'The link does not say what to install.',
  target_ambiguous: 'The link says in two ways what to install.',
  return_pair_incomplete: 'The link has only one of product and return_uri, which belong together.',
  return_uri_forbidden: 'The link wants to lead back to an address of a kind that is not allowed.',
  field: 'Field',
  nothing: 'Nothing was fetched and nothing was changed.',
  next: 'Ask whoever gave you the link for a corrected one.',
  own: 'Enter the address of a repository yourself',
};

const ja: Words = {
  title: 'このインストールリンクは受け付けられません',
  unknown_field:
    'リンクに、インストールリンクにはない項目があります。リンクは全体として受け付けるか、拒否するかのどちらかです。',
  duplicate_field: 'リンクに同じ項目が 2 回あるため、何を求めているのか判断できません。',
  invalid_field: 'リンクの項目に、使用できない値があります。',
  variables_not_allowed: 'リンクがモジュールの入力を指定しています。入力はこの画面で行い、リンクでは渡せません。',
  target_missing: 'リンクに、何をインストールするかが書かれていません。',
  target_ambiguous: 'リンクが、インストールするものを 2 通りに指定しています。',
  return_pair_incomplete: 'product と return_uri は組で使いますが、リンクには片方しかありません。',
  return_uri_forbidden: 'リンクの戻り先が、許可されていない種類のアドレスです。',
  field: '項目',
  nothing: '何も取得しておらず、何も変更していません。',
  next: 'リンクの提供元に、正しいリンクを確認してください。',
  own: 'リポジトリのアドレスを自分で入力する',
};

/** What a refusal says in the API. */
export const refusedLinkSentence = (reason: InstallLinkReason): string => en[reason];

const style = `:root{color-scheme:light dark;font:16px/1.6 system-ui,sans-serif}
body{margin:0}
header{padding:.75rem 1.5rem;border-bottom:1px solid light-dark(#d8dee6,#2c333d);font-weight:600}
header a{color:inherit;text-decoration:none}
main{max-width:36rem;margin:14vh auto 0;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .75rem}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
main a{color:LinkText}`;

/** The page runs nothing and loads nothing; its one style is named by its digest. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The refusal for a person, in the first of our two languages that the browser asks for. `field` is plain already. */
export function refusedLinkPage({ reason, field }: LinkRefusal, acceptLanguage: string): RefusalPage {
  const [lang, words] = isJapanese(acceptLanguage) ? ['ja', ja] : ['en', en];
  const where = field === undefined ? '' : `<p>${words.field}: <code>${field}</code></p>\n`;
  const html = `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title} · Ground Control</title>
<style>${style}</style>
<header><a href="/">Ground Control</a></header>
<main>
<h1>${words.title}</h1>
<p>${words[reason]}</p>
${where}<p>${words.nothing} ${words.next}</p>
<p><a href="/new">${words.own}</a></p>
</main>
</html>
`;
  return { html, policy };
}

const isJapanese = (acceptLanguage: string): boolean =>
  /\b(?:ja|en)\b/i.exec(acceptLanguage)?.[0].toLowerCase() === 'ja';
