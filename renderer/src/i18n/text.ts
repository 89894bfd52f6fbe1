import { i18n, type Messages } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { useLingui } from '@lingui/react';
import { en } from './en/index.ts';
import { ja } from './ja/index.ts';

export const languages = ['en', 'ja'] as const;
type Language = (typeof languages)[number];
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' };
export type TextId = keyof typeof en;
export type Values = Record<string, string | number>;

const key = 'language';
const catalogues: Record<Language, Messages> = { en, ja };

export const readLanguage = (): Language =>
  languages.find((language) => language === localStorage.getItem(key)) ??
  (navigator.language.startsWith('ja') ? 'ja' : 'en');

/** Catalogues are plain text, compiled on first use. */
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

/** Returns the text for a code of the server when the catalogue has one. */
export const findText = (id: string): TextId | undefined => (id in en ? (id as TextId) : undefined);

/** Returns the English text as it is written, so that it can be searched for in every language. */
export const englishText = (id: TextId): string => en[id];

/** Formats a text in the language of the page: `t('run.approve')`, `t('plan.adds', { count: 3 })`. */
export function useText(): (id: TextId, values?: Values) => string {
  const { i18n: active } = useLingui();
  return (id, values) => active._(id, values);
}

/** Returns true when the page is not in English, the language of the server's messages. */
export const useIsTranslated = (): boolean => useLingui().i18n.locale !== 'en';

/** Returns an untrusted bilingual text in the language of the page. */
export function useLocalized(): (text: Readonly<Record<Language, string>>) => string {
  const { i18n: active } = useLingui();
  return (text) => text[active.locale === 'ja' ? 'ja' : 'en'];
}

export { i18n };
