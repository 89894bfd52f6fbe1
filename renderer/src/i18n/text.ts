import { i18n, type Messages } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { useLingui } from '@lingui/react';
import { en } from './en/index.ts';
import { ja } from './ja/index.ts';

export const languages = ['en', 'ja'] as const;
export type Language = (typeof languages)[number];
export type TextId = keyof typeof en;
export type Values = Record<string, string | number>;

const key = 'language';
const catalogues: Record<Language, Messages> = { en, ja };

export const readLanguage = (): Language =>
  languages.find((language) => language === localStorage.getItem(key)) ??
  (navigator.language.startsWith('ja') ? 'ja' : 'en');

/** Catalogues are plain text, compiled when they are first used. */
i18n.setMessagesCompiler(compileMessage);

export function showLanguage(language: Language = readLanguage()): void {
  i18n.load(catalogues);
  i18n.activate(language);
  document.documentElement.lang = language;
}

export function chooseLanguage(language: Language): void {
  localStorage.setItem(key, language);
  showLanguage(language);
}

/** A text made of a code of the server, when the catalogue has a sentence for it. */
export const findText = (id: string): TextId | undefined => (id in en ? (id as TextId) : undefined);

/** The sentence behind an id, in the language of the page: `t('run.approve')`, `t('plan.adds', { count: 3 })`. */
export function useText(): (id: TextId, values?: Values) => string {
  const { i18n: active } = useLingui();
  return (id, values) => active._(id, values);
}

/** Returns true where the page has another language than the sentences of the server. */
export const useIsTranslated = (): boolean => useLingui().i18n.locale !== 'en';

/** The text of a stranger who wrote it in both languages, in that of the page. */
export function useLocalized(): (text: Readonly<Record<Language, string>>) => string {
  const { i18n: active } = useLingui();
  return (text) => text[active.locale === 'ja' ? 'ja' : 'en'];
}

export { i18n };
