import { useLingui } from '@lingui/react';
import { recipeTexts } from './ja/recipes.ts';

/** Returns a text of a recipe in the language of the page, or the original English text. */
export function recipeText(text: string, language: string): { text: string; lang: string | undefined } {
  if (language !== 'ja') return { text, lang: undefined };
  const known = Object.hasOwn(recipeTexts, text) ? recipeTexts[text] : undefined;
  return known === undefined ? { text, lang: 'en' } : { text: known, lang: undefined };
}

/** Reads the texts of recipes in the language of the page. */
export function useRecipeText(): (text: string) => { text: string; lang: string | undefined } {
  const { i18n } = useLingui();
  return (text) => recipeText(text, i18n.locale);
}
