import { describe, expect, test } from 'vitest';
import type { ConnectionDescription, ConnectionMaterials, Unusable } from '#server/domains/connections/index';
import { Secret } from '#server/kernel/secret';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { ProviderRequirement } from '#shared/runs/provider-resolution';
import { credentialsOf } from './credentials.ts';
import { type ConnectionLookup, type ResolveBindingsInput, resolveBindings } from './resolve.ts';

const requirement = (providerName: string, alias?: string, source = 'registry.opentofu.org/hashicorp/aws') =>
  ({
    providerSource: source,
    providerName,
    ...(alias !== undefined && { alias }),
    modulePath: '.',
    discoveredFrom: 'provider_block',
    requiredForPhases: ['plan'],
  }) satisfies ProviderRequirement;
const binding = (connectionId: string, moduleLocalName: string, childAlias?: string, provider = 'hashicorp/aws') =>
  ({
    provider,
    moduleLocalName,
    ...(childAlias !== undefined && { childAlias }),
    connectionId,
  }) satisfies ProviderBinding;

type LookupOptions = Partial<ConnectionMaterials> & { expiresAt?: number; digest?: string };
const connectionLookup = (
  id: string,
  { expiresAt, digest = `digest of ${id}`, ...materials }: LookupOptions = {},
): ConnectionLookup => ({
  description: { id, expiresAt, digest } as ConnectionDescription,
  materials: {
    env: {},
    files: [],
    providerArguments: {},
    coveredNames: [],
    hiddenSecrets: [],
    moduleInputDefaults: {},
    providerConfig: {},
    ...materials,
  },
});
/** A Connection whose two values fit into the block of its provider. */
const keyed = (id: string, key = id, more: LookupOptions = {}): ConnectionLookup =>
  connectionLookup(id, {
    env: { KEY_ID: `id of ${key}`, KEY: new Secret(`secret of ${key}`) },
    providerArguments: { key_id: `id of ${key}`, key: new Secret(`secret of ${key}`) },
    coveredNames: ['KEY_ID', 'KEY'],
    ...more,
  });
const file = (text: string, envName?: string, path = 'config') => ({
  path,
  envName,
  mode: 0o600,
  content: new Secret(text),
});

const usual: ResolveBindingsInput = {
  requirements: [],
  bindings: [],
  find: () => ({ unusable: 'missing' }),
  isRequired: () => true,
  policies: [],
  takesArguments: () => true,
  variables: { declared: [], assigned: [] },
};
const from = (...all: ConnectionLookup[]) => {
  const byId = new Map(all.map((one) => [one.unusable === undefined ? one.description.id : '', one]));
  return (id: string): ConnectionLookup => byId.get(id) ?? { unusable: 'missing' };
};
/** Two accounts of one provider: the default block and an alias. */
const two = (left: ConnectionLookup, right: ConnectionLookup, more: Partial<ResolveBindingsInput> = {}) =>
  resolveBindings({
    ...usual,
    requirements: [requirement('aws'), requirement('aws', 'west')],
    bindings: [binding('one', 'aws'), binding('two', 'aws', 'west')],
    find: from(left, right),
    ...more,
  });
const statuses = ({ resolutions }: ReturnType<typeof resolveBindings>) =>
  resolutions.map(({ requirement: { providerName, alias }, status, blockedReason }) => [
    alias === undefined ? providerName : `${providerName}.${alias}`,
    blockedReason ?? status,
  ]);
const resolved = 'resolved_provider_connection';

describe('bound credentials', () => {
  test('go into the environment, for each registry that the tool names', () => {
    const resolution = resolveBindings({
      ...usual,
      requirements: [requirement('aws')],
      bindings: [binding('one', 'aws')],
      find: from(keyed('one', 'one', { files: [file('text', 'CONFIG_FILE')], providerConfig: { region: 'eu' } })),
    });
    expect(resolution.resolutions).toEqual([
      {
        requirement: requirement('aws'),
        status: resolved,
        connectionId: 'one',
        evidence: {
          kind: 'provider_connection',
          provider: 'registry.opentofu.org/hashicorp/aws',
          connectionId: 'one',
          requiredEnvNames: ['CONFIG_FILE', 'KEY', 'KEY_ID'],
        },
      },
    ]);
    expect(resolution.exposedNames).toEqual({
      envNames: ['CONFIG_FILE', 'KEY', 'KEY_ID'],
      files: [{ path: 'config', envName: 'CONFIG_FILE' }],
      providers: [{ providerName: 'aws', arguments: [], config: ['region'] }],
      moduleInputs: [],
    });
    expect(credentialsOf(resolution)).toEqual({
      env: { KEY_ID: 'id of one', KEY: 'secret of one' },
      files: [{ path: 'config', envName: 'CONFIG_FILE', mode: 0o600, content: Buffer.from('text').toString('base64') }],
      providers: [{ localName: 'aws', arguments: {}, config: { region: 'eu' } }],
      secrets: ['secret of one', 'text'],
    });
  });

  test('of one Connection bound twice do not conflict, nor do two Connections with equal values', () => {
    for (const right of ['one', 'two']) {
      const resolution = two(keyed('one'), keyed('two', 'one'), {
        bindings: [binding('one', 'aws'), binding(right, 'aws', 'west')],
      });
      expect(statuses(resolution)).toEqual([
        ['aws', resolved],
        ['aws.west', resolved],
      ]);
      expect(credentialsOf(resolution).env).toEqual({ KEY_ID: 'id of one', KEY: 'secret of one' });
      expect(credentialsOf(resolution).providers).toEqual([]);
    }
  });

  test('for two accounts go only into their own provider blocks, not into the environment', () => {
    const resolution = two(keyed('one'), keyed('two'));
    expect(statuses(resolution)).toEqual([
      ['aws', resolved],
      ['aws.west', resolved],
    ]);
    expect(resolution.exposedNames.envNames).toEqual([]);
    expect(credentialsOf(resolution)).toEqual({
      env: {},
      files: [],
      providers: [
        { localName: 'aws', arguments: { key_id: 'id of one', key: 'secret of one' }, config: {} },
        { localName: 'aws', alias: 'west', arguments: { key_id: 'id of two', key: 'secret of two' }, config: {} },
      ],
      secrets: ['secret of one', 'secret of two'],
    });
  });

  test('for two accounts keep a name of only one of them out of the environment too, so that the other does not see it', () => {
    const session = keyed('one', 'one', {
      env: { KEY: new Secret('secret of one'), TOKEN: new Secret('session of one') },
      providerArguments: { key: new Secret('secret of one'), token: new Secret('session of one') },
      coveredNames: ['KEY', 'TOKEN'],
    });
    const resolution = two(session, keyed('two'));
    expect(credentialsOf(resolution).env).toEqual({});
    expect(credentialsOf(resolution).providers[0]?.arguments).toEqual({
      key: 'secret of one',
      token: 'session of one',
    });
  });

  test('for two accounts with files go into the blocks too, without a file', () => {
    const both = ['one', 'two'].map((id) =>
      connectionLookup(id, {
        files: [file(`file of ${id}`, 'CREDENTIALS')],
        providerArguments: { credentials: new Secret(`file of ${id}`) },
        coveredNames: ['CREDENTIALS'],
      }),
    ) as [ConnectionLookup, ConnectionLookup];
    const resolution = two(...both);
    expect([resolution.exposedNames.files, credentialsOf(resolution).files]).toEqual([[], []]);
    expect(credentialsOf(resolution).providers.map((one) => one.arguments)).toEqual([
      { credentials: 'file of one' },
      { credentials: 'file of two' },
    ]);
  });

  test('with the same file path are written to two paths', () => {
    const resolution = two(
      connectionLookup('one', { files: [file('a', 'A')] }),
      connectionLookup('two', { files: [file('b', 'B')] }),
    );
    expect(credentialsOf(resolution).files.map(({ path, envName }) => [path, envName])).toEqual([
      ['config', 'A'],
      ['two/config', 'B'],
    ]);
  });
});

describe('a conflict of the environment', () => {
  const blocked = [
    ['aws', 'credential_env_conflict'],
    ['aws.west', 'credential_env_conflict'],
  ];
  test('is blocked when the tool does not accept secret arguments', () => {
    expect(statuses(two(keyed('one'), keyed('two'), { takesArguments: () => false }))).toEqual(blocked);
  });

  test('is blocked for a provider block that cannot be completed', () => {
    const takesArguments = ({ alias }: ProviderRequirement) => alias === undefined;
    expect(statuses(two(keyed('one'), keyed('two'), { takesArguments }))).toEqual([['aws', resolved], blocked[1]]);
  });

  test('is blocked where the recipe has no argument for the name', () => {
    const bare = (id: string) => connectionLookup(id, { env: { TOKEN: new Secret(id) } });
    expect(statuses(two(bare('one'), bare('two')))).toEqual(blocked);
    expect(statuses(two(bare('one'), keyed('two')))).toEqual([
      ['aws', resolved],
      ['aws.west', resolved],
    ]);
  });
});

describe('defaults for variables of the module', () => {
  const giving = (id: string, moduleInputDefaults: ConnectionMaterials['moduleInputDefaults']) =>
    connectionLookup(id, { moduleInputDefaults });
  const variables = { declared: ['region', 'zone', 'size'], assigned: ['size'] };

  test('apply to declared variables that are not set', () => {
    const left = giving('one', { region: 'eu', size: 1, unknown: true });
    const resolution = two(left, giving('two', { region: 'eu', zone: null, size: 2 }), { variables });
    expect(resolution.moduleInputs).toEqual({ region: 'eu', zone: null });
    expect(statuses(resolution).map(([, status]) => status)).toEqual([resolved, resolved]);
  });

  test('that differ block their Connections', () => {
    const resolution = two(giving('one', { region: 'eu' }), giving('two', { region: 'us' }), { variables });
    expect(statuses(resolution).map(([, status]) => status)).toEqual([
      'module_input_conflict',
      'module_input_conflict',
    ]);
    const set = { ...variables, assigned: ['region'] };
    expect(
      two(giving('one', { region: 'eu' }), giving('two', { region: 'us' }), { variables: set }).moduleInputs,
    ).toEqual({});
  });
});

describe('a blocked resolution', () => {
  test.each([
    'missing',
    'foreign',
    'revoked',
    'expired',
    'error',
    'git',
    'storage',
    'managed',
    'material',
  ] as Unusable[])('names the reason for a Connection that is %s', (unusable) => {
    const resolution = two(keyed('one'), connectionLookup('two'), {
      find: (id) => (id === 'one' ? keyed('one') : { unusable }),
    });
    expect(statuses(resolution)).toEqual([
      ['aws', resolved],
      ['aws.west', `connection_${unusable}`],
    ]);
    expect(resolution.resolutions[1]).toMatchObject({ status: 'blocked_missing_connection', connectionId: 'two' });
    expect(credentialsOf(resolution).env).toHaveProperty('KEY');
  });

  test('exists only for a provider that needs a Connection and has none at all', () => {
    const requirements = [requirement('aws'), requirement('aws', 'west'), requirement('random', undefined, 'a/random')];
    const isRequired = (source: string) => source !== 'a/random';
    const bare = resolveBindings({ ...usual, requirements, isRequired });
    expect(statuses(bare)).toEqual([
      ['aws', 'connection_required'],
      ['aws.west', 'connection_required'],
    ]);
    expect([bare.digest, bare.supported]).toEqual([undefined, []]);
    const half = { requirements, isRequired, bindings: [binding('one', 'aws')], find: from(keyed('one')) };
    expect(statuses(resolveBindings({ ...usual, ...half }))).toEqual([['aws', resolved]]);
  });

  test('applies each policy separately', () => {
    const why = (policy: ResolveBindingsInput['policies'][number], more: LookupOptions = {}) =>
      statuses(two(keyed('one', 'one', more), keyed('two', 'one'), { policies: [{}, policy] })).map(
        ([, status]) => status,
      );
    const off = 'connection_not_allowed';
    expect(why({ allowedConnectionIds: ['one'] })).toEqual([resolved, off]);
    expect(why({ allowedConnectionIds: [] })).toEqual([off, off]);
    expect(why({ forbiddenConnectionIds: ['two'] })).toEqual([resolved, off]);
    expect(why({ requireTemporary: true }, { expiresAt: 5 })).toEqual([resolved, 'connection_not_temporary']);
    const never = 'connection_ttl_not_enforced';
    expect(why({ requireTtlEnforced: true }, { expiresAt: 5 })).toEqual([never, never]);
  });
});

test('the digest changes with the tuple and the Connection and its description, and not with the order', () => {
  const digests = [
    two(keyed('one'), keyed('two')),
    two(keyed('one'), keyed('two'), { bindings: [binding('two', 'aws'), binding('one', 'aws', 'west')] }),
    two(keyed('one'), keyed('two', 'two', { digest: 'other' })),
    two(keyed('one'), keyed('two'), { bindings: [binding('one', 'aws')] }),
    two(keyed('one'), keyed('two'), { find: (id) => (id === 'one' ? keyed('one') : { unusable: 'revoked' }) }),
  ].map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(5);
  const turned = { bindings: [binding('two', 'aws', 'west'), binding('one', 'aws')] };
  expect(two(keyed('one'), keyed('two'), turned).digest).toBe(digests[0]);
});
