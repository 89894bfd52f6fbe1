import { describe, expect, it } from 'vitest';
import { builtInRecipes } from '#shared/connections/built-in/index';
import type { Recipe } from '#shared/connections/recipe';
import { isRecipeMeant, operatorWaysOf, recipesFor, waysOf } from './fields.ts';

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
    issued: {
      env: { ACME_TOKEN: { from: 'generated' } },
      runIssuance: {
        context: 'capsule-run.v1',
        operatorConnection: 'workspace-bindable',
        storedMaterial: 'none',
        audience: 'acme',
        scopes: [],
      },
      presentation: { displayName: 'Short-lived token' },
    },
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

  it('are the inputs of a token request; plain ones are settings, and generated ones are not asked for', () => {
    const { runIssuance: _, ...issued } = own.authModes['issued'] ?? {};
    const env = {
      ACME_TOKEN: { from: 'generated' as const, name: 'access_token' },
      ACME_KEY: { from: 'value' as const },
    };
    const inputs = {
      token_url: { from: 'value' as const },
      client_id: { from: 'value' as const },
      client_secret: { from: 'secret' as const, name: 'app_secret' },
      audience: { from: 'value' as const },
      scope: { from: 'literal' as const, value: 'read' },
    };
    const login = { ...issued, env, preRun: { type: 'oauth_client_credentials' as const, inputs } };
    const [way] = waysOf({ ...own, requiredEnvGroups: [['ACME_TOKEN'], ['ACME_KEY']], authModes: { login } });
    expect(way).toMatchObject({ requestsToken: true, groups: [] });
    expect(
      way?.fields.map((field) => [field.name, field.label, field.isSecret, field.isOptional, field.isSetting]),
    ).toEqual([
      ['token_url', 'Token address', false, false, undefined],
      ['client_id', 'Client ID', false, false, true],
      ['app_secret', 'Client secret', true, false, undefined],
      ['audience', 'Audience', false, true, true],
      ['ACME_KEY', 'ACME_KEY', false, true, undefined],
    ]);
  });

  it('of a method for which the operator creates the Connections are not shown, only its name', () => {
    expect(operatorWaysOf(own)).toEqual(['Short-lived token']);
    const { issued } = own.authModes;
    if (!issued) throw new Error('The mode is missing.');
    const only = { ...own, authModes: { issued } };
    expect([waysOf(only), recipesFor([only], 'acme/cloud')]).toEqual([[], [only]]);
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
