import { describe, expect, it } from 'vitest';
import { builtInRecipes } from '#shared/connections/built-in/index';
import type { Recipe } from '#shared/connections/recipe';
import { isRecipeMeant, recipesFor, waysOf } from './fields.ts';

const recipe = (id: string): Recipe => {
  const match = builtInRecipes.find((one) => one.id === id);
  if (!match) throw new Error(`Recipe ${id} does not exist.`);
  return match;
};
const own: Recipe = {
  id: 'acme',
  displayName: 'Acme Cloud',
  terraformSource: ['acme/cloud'],
  requiredEnvGroups: [['ACME_KEY'], ['ACME_TOKEN']],
  authModes: {
    token: {
      env: {
        ACME_TOKEN: { from: 'secret' },
        ACME_OLD_TOKEN: { from: 'secret', name: 'ACME_TOKEN' },
        ACME_CERT: { from: 'value' },
        ACME_FIXED: { from: 'literal', value: '1' },
        ACME_HIDDEN: { from: 'value' },
      },
      inputHints: { ACME_HIDDEN: { hidden: true } },
    },
    minted: { env: { ACME_TOKEN: { from: 'generated' } } },
    quiet: { env: { ACME_TOKEN: { from: 'secret' } }, presentation: { showInConnectionSetup: false } },
  },
};

describe('the fields of a recipe', () => {
  it('follow its hints: label, secret or plain, asked for or not', () => {
    const [way] = waysOf(recipe('scaleway'));
    expect(way?.fields).toMatchObject([
      { kind: 'value', name: 'SCW_ACCESS_KEY', label: 'Access key', isSecret: true, isOptional: false },
      { name: 'SCW_SECRET_KEY', isSecret: true, isOptional: false },
      { name: 'SCW_DEFAULT_PROJECT_ID', isSecret: false, isOptional: true },
    ]);
  });

  it('are files where the recipe takes files', () => {
    const [, files] = waysOf(recipe('aws'));
    expect(files?.fields.map(({ kind, name, isOptional }) => [kind, name, isOptional])).toEqual([
      ['file', 'aws/credentials', false],
      ['file', 'aws/config', true],
    ]);
  });

  it('follow the groups when there is no hint; one value that fills two variables is asked for once', () => {
    expect(waysOf(own)).toMatchObject([
      {
        id: 'token',
        groups: [['ACME_TOKEN']],
        fields: [
          { name: 'ACME_TOKEN', label: 'ACME_TOKEN', isOptional: false, envNames: ['ACME_TOKEN', 'ACME_OLD_TOKEN'] },
          { name: 'ACME_CERT', isSecret: false, isOptional: true, isLong: true },
        ],
      },
    ]);
  });

  it('exist for every recipe of the product', () => {
    for (const one of builtInRecipes) expect([one.id, waysOf(one).length > 0]).toEqual([one.id, true]);
  });
});

describe('the recipes to choose from', () => {
  it('are those made for the provider, then the one for any', () => {
    const ids = (provider?: string) => recipesFor([...builtInRecipes, own], provider).map(({ id }) => id);
    expect(ids('registry.opentofu.org/hashicorp/aws')).toEqual(['aws', 'generic-env']);
    expect(ids('acme/cloud')).toEqual(['acme', 'generic-env']);
    expect(ids('example/unknown')).toEqual(['generic-env']);
    expect(ids()).toHaveLength(builtInRecipes.length + 1);
    expect(ids().at(-1)).toBe('generic-env');
  });

  it('are found by name, provider and variable', () => {
    expect(['Amazon', 'hashicorp/aws', 'aws_secret'].map((text) => isRecipeMeant(recipe('aws'), text))).toEqual([
      true,
      true,
      true,
    ]);
    expect(isRecipeMeant(recipe('aws'), 'azure')).toBe(false);
  });
});
