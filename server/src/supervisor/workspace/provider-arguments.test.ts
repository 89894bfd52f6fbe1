import { expect, it } from 'vitest';
import { encryptionNames, type RootView } from '#server/drivers/tofu/index';
import type { RunCredentials } from '../../runner/contract/credentials.ts';
import { providerArgumentsOf } from './provider-arguments.ts';

const tool = { name: 'tofu' as const, version: '1.12.6', path: '/tofu' };
const names = encryptionNames(Buffer.alloc(32, 1).toString('base64'));
const view = (providers: RootView['providers']): RootView => ({
  providers,
  configurationAliases: [],
  remoteState: { default: false, targets: [] },
});
const resolveArguments = (providers: RunCredentials['providers'], blocks: RootView['providers'] = []) =>
  providerArgumentsOf(
    { tool, configuration: { view: view(blocks) }, credentials: { env: {}, files: [], secrets: [], providers } },
    names,
  );

it('each tuple has variables of its own, named by the key that seals the plan', () => {
  const providers = [
    { localName: 'aws', arguments: { token: 'one' }, config: { region: 'eu' } },
    { localName: 'aws', alias: 'west', arguments: { token: 'two' }, config: {} },
  ];
  const first = resolveArguments(providers);
  const [own, west] = [
    first.providerVariables['aws']?.['token'] ?? '',
    first.providerVariables['aws.west']?.['token'] ?? '',
  ];
  expect(own).toMatch(/^c[0-9a-f]{24}$/);
  expect(west).not.toBe(own);
  expect(first.values).toEqual({ [own]: 'one', [west]: 'two' });
  expect(first.providerConfig).toMatchObject({ aws: { region: 'eu' } });
  expect(resolveArguments(providers)).toEqual(first);
  const other = providerArgumentsOf(
    { tool, credentials: { env: {}, files: [], secrets: [], providers } },
    encryptionNames(Buffer.alloc(32, 2).toString('base64')),
  );
  expect(Object.keys(other.values)).not.toContain(own);
});

it('credentials of two accounts are never mixed', () => {
  const provider = {
    localName: 'aws',
    arguments: { access_key: 'ours', secret_key: 'ours' },
    config: { region: 'eu' },
  };
  const result = resolveArguments([provider], [{ name: 'aws', arguments: ['access_key'], forEach: false }]);
  expect(result).toMatchObject({ values: {}, providerVariables: {}, providerConfig: { aws: { region: 'eu' } } });
  expect(result.warnings).toEqual([expect.stringContaining('access_key of the provider aws itself')]);
});

it('meta-arguments that change the identity of a block are not set', () => {
  const bad = { alias: 'x', for_each: 'x', version: 'x', 'a b': 'x', 'a"': 'x', '//': 'x' };
  const result = resolveArguments([{ localName: 'aws', arguments: bad, config: bad }]);
  expect(result).toMatchObject({ values: {}, providerVariables: {}, providerConfig: { aws: {} } });
});

it('a binding without arguments gives no warning about a block it does not change', () => {
  const block = { name: 'aws', arguments: [], forEach: true };
  expect(resolveArguments([{ localName: 'aws', arguments: {}, config: {} }], [block]).warnings).toEqual([]);
  expect(resolveArguments([{ localName: 'aws', arguments: { token: 'x' }, config: {} }], [block]).values).toEqual({});
});
