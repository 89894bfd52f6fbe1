import { expect, it } from 'vitest';
import { builtInRecipes } from '#shared/connections/built-in/index';
import { recipeText } from './recipe-text.ts';

const textsOf = () =>
  builtInRecipes.flatMap(({ authModes }) =>
    Object.values(authModes).flatMap(({ inputHints = {}, presentation = {} }) => [
      ...Object.values(inputHints).flatMap(({ label }) => label ?? []),
      ...[presentation.displayName, presentation.description].flatMap((text) => text ?? []),
      ...(presentation.setupGuide?.steps ?? []),
    ]),
  );

it('translates every text of the built-in recipes to Japanese, and keeps those of an operator', () => {
  const missing = [...new Set(textsOf())].filter((text) => recipeText(text, 'ja').lang !== undefined);
  expect(missing).toEqual([]);
  expect(recipeText('Acme token', 'ja')).toEqual({ text: 'Acme token', lang: 'en' });
  expect(recipeText('constructor', 'ja').text).toBe('constructor');
  expect(recipeText('Token', 'en')).toEqual({ text: 'Token', lang: undefined });
});
