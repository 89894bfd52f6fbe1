import type { RefusalPage } from '#server/kernel/errors';
import { type PageLanguage, pageLanguageOf, plainPage } from '#server/kernel/http/index';
import type { InstallLinkReason } from '#shared/errors';
import type { LinkRefusal } from '#shared/sources/install-link';

type RefusalTexts = Readonly<Record<InstallLinkReason | 'title' | 'nothing' | 'field' | 'next' | 'own', string>>;

const en: RefusalTexts = {
  title: 'This install link is refused',
  unknown_field: 'The link has a field that install links do not have. A link is accepted as a whole or not at all.',
  duplicate_field: 'The link contains a field twice, so the request is ambiguous.',
  invalid_field: 'The link has a field with an invalid value.',
  variables_not_allowed:
    'The link sets an input of the module. Inputs are entered on this page and cannot be set by a link.',
  target_missing: 'The link does not say what to install.',
  target_ambiguous: 'The link names the module to install in two ways.',
  return_pair_incomplete: 'The link has only one of product and return_uri, which belong together.',
  return_uri_forbidden: 'The return address of the link is of a kind that is not allowed.',
  field: 'Field',
  nothing: 'Nothing was fetched and nothing was changed.',
  next: 'Ask the sender of the link for a corrected one.',
  own: 'Enter the address of a repository yourself',
};

const ja: RefusalTexts = {
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

const messages: Readonly<Record<PageLanguage, RefusalTexts>> = { en, ja };

/** Message of a refusal in the API. */
export const refusedLinkMessage = (reason: InstallLinkReason): string => en[reason];

/** The refusal for a person, in the first of the two supported languages that the browser asks for. `field` is plain text already. */
export function refusedLinkPage({ reason, field }: LinkRefusal, acceptLanguage: string): RefusalPage {
  const lang = pageLanguageOf(acceptLanguage);
  const texts = messages[lang];
  const where = field === undefined ? '' : `<p>${texts.field}: <code>${field}</code></p>\n`;
  return plainPage(
    lang,
    texts.title,
    `<p>${texts[reason]}</p>
${where}<p>${texts.nothing} ${texts.next}</p>
<p><a href="/new">${texts.own}</a></p>`,
  );
}
