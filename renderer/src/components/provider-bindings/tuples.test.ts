import { describe, expect, it } from 'vitest';
import { builtInRecipes } from '#shared/connections/built-in/index';
import type { Connection } from '#shared/connections/contract';
import type { ProviderRequirement } from '#shared/runs/provider-resolution';
import { bindingsOf, boundable, choicesFor, chosenOf, isLikely, keyOfTuple } from './tuples.ts';

const requirement = (providerName: string, part: Partial<ProviderRequirement> = {}): ProviderRequirement => ({
  providerSource: `registry.opentofu.org/hashicorp/${providerName}`,
  providerName,
  modulePath: '.',
  discoveredFrom: 'required_providers',
  requiredForPhases: ['plan', 'apply'],
  ...part,
});
const connection = (id: string, part: Partial<Connection> = {}): Connection => ({
  id,
  provider: 'hashicorp/aws',
  providerSource: 'hashicorp/aws',
  scope: 'workspace',
  status: 'verified',
  materialization: 'secret',
  envNames: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...part,
});
const aws = requirement('aws');
const west = requirement('aws', { alias: 'west' });

describe('bindings', () => {
  it('hold the tuple as the module has it, and come back the same', () => {
    const chosen = { [keyOfTuple(aws)]: 'conn_1', [keyOfTuple(west)]: 'conn_2', 'some other tuple': 'conn_3' };
    const bindings = bindingsOf([aws, west, requirement('null')], chosen);
    expect(bindings).toEqual([
      { provider: aws.providerSource, moduleLocalName: 'aws', connectionId: 'conn_1' },
      { provider: aws.providerSource, moduleLocalName: 'aws', childAlias: 'west', connectionId: 'conn_2' },
    ]);
    const { 'some other tuple': _gone, ...rest } = chosen;
    expect(chosenOf([aws, west], bindings)).toEqual(rest);
  });

  it('are found although the other tool spells the provider differently', () => {
    const bound = [{ provider: 'hashicorp/aws', moduleLocalName: 'aws', connectionId: 'conn_1' }];
    expect(chosenOf([aws, west], bound)).toEqual({ [keyOfTuple(aws)]: 'conn_1' });
  });

  it('are asked for once, however often a tuple is named', () => {
    expect(boundable([aws, { ...aws, discoveredFrom: 'provider_block' }, west])).toHaveLength(2);
  });
});

describe('the Connections to choose from', () => {
  it('belong to the same provider, usable ones first, without revoked ones and those for Git', () => {
    const all = [
      connection('expired', { status: 'expired' }),
      connection('revoked', { status: 'revoked' }),
      connection('git', { kind: 'source_git_https_token', providerSource: 'git' }),
      connection('google', { providerSource: 'hashicorp/google' }),
      connection('fine'),
    ];
    const idsFor = (one: ProviderRequirement, connections: Connection[]) =>
      choicesFor(one, { connections, recipes: builtInRecipes }).map(({ id }) => id);
    expect(idsFor(aws, all)).toEqual(['fine', 'expired']);
    const google = connection('google', { providerSource: 'hashicorp/google' });
    const byRecipe = { ...google, credentialRecipe: { id: 'google', authMode: 'service_account' } };
    expect(idsFor(requirement('google-beta'), [google])).toEqual([]);
    expect(idsFor(requirement('google-beta'), [byRecipe])).toEqual(['google']);
  });
});

describe('a provider', () => {
  const known = { chosen: {}, resolutions: [], connections: [], recipes: builtInRecipes };
  it('is likely to need credentials when there is a recipe or a Connection for it', () => {
    const random = requirement('random');
    const own = connection('own', { providerSource: 'hashicorp/random' });
    expect(isLikely(aws, known)).toBe(true);
    expect(isLikely(random, known)).toBe(false);
    expect(isLikely(random, { ...known, connections: [own] })).toBe(true);
    expect(isLikely(random, { ...known, chosen: { [keyOfTuple(random)]: 'conn_1' } })).toBe(true);
  });
});
