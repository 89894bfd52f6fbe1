import { expect, test } from 'vitest';
import { type Command, isCredentialName, toolEnvironment } from './environment.ts';

const base = { home: '/home/u', dataDir: '/svc/data', cliConfigFile: '/svc/cli.tfrc' };
const credentials = {
  AWS_SECRET_ACCESS_KEY: 'k',
  TF_LOG: 'trace',
  LD_PRELOAD: '/x.so',
  PATH: '/evil',
  'bad name': 'x',
};

test('nothing of our own environment reaches a tool', () => {
  process.env.GROUNDCTL_TEST_LEAK = 'x';
  const env = toolEnvironment({ ...base, command: 'plan' });
  expect(Object.keys(env).sort()).toEqual(
    [
      'CHECKPOINT_DISABLE',
      'GOGC',
      'GOMEMLIMIT',
      'HOME',
      'LANG',
      'PATH',
      'TF_CLI_CONFIG_FILE',
      'TF_DATA_DIR',
      'TF_INPUT',
      'TF_IN_AUTOMATION',
    ].sort(),
  );
  delete process.env.GROUNDCTL_TEST_LEAK;
});

test.each([
  ['plan', true],
  ['apply', true],
  ['init', false],
  ['get', false],
  ['show', false],
  ['version', false],
] as const)('%s gets credentials: %s', (command: Command, hasCredentials) => {
  const env = toolEnvironment({ ...base, command, credentials });
  expect(env.AWS_SECRET_ACCESS_KEY).toBe(hasCredentials ? 'k' : undefined);
  expect(env.PATH).toBe('/usr/local/bin:/usr/bin:/bin');
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['LD_PRELOAD']));
  expect(env.TF_LOG).toBeUndefined();
});

test.each([
  'TF_VAR_x',
  'TF_CLI_ARGS',
  'LD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'HOME',
  'BASH_ENV',
  'GODEBUG',
  'PLUGIN_CLIENT_CERT',
  '',
  'a-b',
  '1A',
])('a credential cannot set %s', (name) => {
  expect(isCredentialName(name)).toBe(false);
});

test.each(['AWS_REGION', 'GOOGLE_CREDENTIALS', 'CLOUDFLARE_API_TOKEN', 'GOOGLE_PROJECT'])(
  'a credential can set %s',
  (name) => {
    expect(isCredentialName(name)).toBe(true);
  },
);

test('the garbage limit of tool and providers fits several times into the memory limit', () => {
  const limit = (memoryBytes?: number) =>
    toolEnvironment({ ...base, command: 'plan', ...(memoryBytes === undefined ? {} : { memoryBytes }) })['GOMEMLIMIT'];
  expect(limit()).toBe('512MiB');
  expect(limit(16 * 1_073_741_824)).toBe('512MiB');
  expect(limit(2_147_483_648)).toBe('256MiB');
  expect(limit(134_217_728)).toBe('32MiB');
});
