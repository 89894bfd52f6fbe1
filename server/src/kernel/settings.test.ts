import { describe, expect, test } from 'vitest';
import { type Environment, readSettings, SettingError } from './settings.ts';

const read = (env: Environment = {}, flags = {}) => readSettings({ GROUNDCTL_DATA_DIR: '/data', ...env }, flags);

test('flags win over the environment, and an empty variable counts as absent', () => {
  expect(read({ GROUNDCTL_PORT: '4000', GROUNDCTL_HOST: '' }, { port: '5000', dataDir: '/other' })).toMatchObject({
    dataDir: '/other',
    host: '127.0.0.1',
    port: 5000,
  });
  expect(read({ GROUNDCTL_PORT: '', SVC_OPERATOR_TOKEN: '', GROUNDCTL_TOOL_PATH: '' })).toMatchObject({
    port: 0,
    operatorToken: undefined,
    toolPath: undefined,
  });
});

test('people sign in by password on a server, and not on a personal one', () => {
  expect(read()).toMatchObject({ passwordSignIn: true, signInProviders: undefined, ownerEmail: undefined });
  expect(read({}, { isPersonal: true }).passwordSignIn).toBe(false);
  expect(read({ GROUNDCTL_PASSWORD_SIGN_IN: '1' }, { isPersonal: true }).passwordSignIn).toBe(true);
  expect(read({ GROUNDCTL_PASSWORD_SIGN_IN: '0' }).passwordSignIn).toBe(false);
  expect(read({ GROUNDCTL_SIGN_IN_PROVIDERS: '/etc/p.json', GROUNDCTL_OWNER_EMAIL: ' Ada@Example.com' })).toMatchObject(
    {
      signInProviders: '/etc/p.json',
      ownerEmail: 'ada@example.com',
    },
  );
  expect(() => read({ GROUNDCTL_OWNER_EMAIL: 'ada' })).toThrow(SettingError);
});

test('profiles of managed Connections are listed individually, and none is enabled by default', () => {
  expect(read().providerProfiles).toEqual([]);
  expect(read({ GROUNDCTL_PROVIDER_PROFILES: 'Cloud.example/v1, other,' }).providerProfiles).toEqual([
    'Cloud.example/v1',
    'other',
  ]);
});

test('Git on this machine is on for a loopback server, off behind a public name, and as a setting says', () => {
  const git = (env: Environment) => {
    const { allowLoopbackGit, allowLocalGit } = read(env);
    return [allowLoopbackGit, allowLocalGit];
  };
  expect(git({})).toEqual([true, true]);
  expect(git({ GROUNDCTL_PUBLIC_URL: 'https://ground.example' })).toEqual([false, false]);
  expect(git({ GROUNDCTL_PUBLIC_URL: 'http://localhost:1' })).toEqual([true, true]);
  expect(git({ GROUNDCTL_ALLOW_LOOPBACK_GIT: '0', GROUNDCTL_ALLOW_LOCAL_GIT: 'off' })).toEqual([false, false]);
});

const certificate = { GROUNDCTL_TLS_CERT: '/cert.pem', GROUNDCTL_TLS_KEY: '/key.pem' };

describe('the ingress', () => {
  const publicUrlEnv = { GROUNDCTL_PUBLIC_URL: 'https://ground.example' };
  const isLocal = (env: Environment) => read(env).isLocal;

  test('is local on a loopback address without proxy and public name, and nowhere else', () => {
    expect([isLocal({}), isLocal({ GROUNDCTL_PUBLIC_URL: 'http://localhost:1' }), isLocal(certificate)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isLocal(publicUrlEnv), isLocal({ GROUNDCTL_TRUST_PROXY: '127.0.0.1' })]).toEqual([false, false]);
  });

  test('is open to other machines with a public address and either a certificate or a proxy', () => {
    const open = { GROUNDCTL_HOST: '0.0.0.0', ...publicUrlEnv };
    expect(read({ ...open, ...certificate })).toMatchObject({
      isLocal: false,
      tls: { certFile: '/cert.pem', keyFile: '/key.pem' },
      trustedProxies: [],
    });
    expect(read({ ...open, GROUNDCTL_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,fd00::/8' })).toMatchObject({
      isLocal: false,
      tls: undefined,
      trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
    });
  });

  test('has a listener for the operator when a port is named', () => {
    expect([read({}).operatorPort, read({ GROUNDCTL_OPERATOR_PORT: '0' }).operatorPort]).toEqual([undefined, 0]);
  });
});

test('a setting makes sandbox and isolated network mandatory', () => {
  const insistence = (env: Environment) => {
    const { requireSandbox, requireIsolatedNetwork } = read(env);
    return [requireSandbox, requireIsolatedNetwork];
  };
  expect(insistence({})).toEqual([false, false]);
  expect(insistence({ GROUNDCTL_REQUIRE_SANDBOX: '1' })).toEqual([true, false]);
  expect(insistence({ GROUNDCTL_REQUIRE_ISOLATED_NETWORK: 'on' })).toEqual([false, true]);
});

test('shares the network of the machine only when a setting says so, and never when the isolated network is required', () => {
  expect(read({}).shareNetwork).toBe(false);
  expect(read({ GROUNDCTL_SHARE_NETWORK: '1' }).shareNetwork).toBe(true);
  expect(() => read({ GROUNDCTL_SHARE_NETWORK: '1', GROUNDCTL_REQUIRE_ISOLATED_NETWORK: '1' })).toThrow(/contradict/);
});

test('the allowances of a Run are set in megabytes, and what is not set is left to the runner', () => {
  expect(read({ GROUNDCTL_RUN_MEMORY_MB: '' }).runAllowances).toEqual({});
  expect(
    read({ GROUNDCTL_RUN_MEMORY_MB: '512', GROUNDCTL_RUN_PROCESSES: '100', GROUNDCTL_RUN_DISK_MB: '64' }).runAllowances,
  ).toEqual({ memoryBytes: 536_870_912, processes: 100, diskBytes: 67_108_864 });
});

describe('a setting that cannot be used is named', () => {
  const refused: [string, Environment, object?][] = [
    ['--data-dir', { GROUNDCTL_DATA_DIR: '' }],
    ['--port', { GROUNDCTL_PORT: '65536' }],
    ['--port', {}, { port: '-1' }],
    ['--port', {}, { port: '0x10' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_HOST: '0.0.0.0' }],
    ['GROUNDCTL_PUBLIC_URL', {}, { host: '127.0.0.1.evil.example' }],
    ['GROUNDCTL_TRUST_PROXY', { GROUNDCTL_HOST: '0.0.0.0', GROUNDCTL_PUBLIC_URL: 'https://ground.example' }],
    ['GROUNDCTL_TRUST_PROXY', { GROUNDCTL_HOST: '::', GROUNDCTL_PUBLIC_URL: 'http://ground.example' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_HOST: '0.0.0.0', GROUNDCTL_TRUST_PROXY: '10.0.0.1' }],
    ['GROUNDCTL_TRUST_PROXY', { GROUNDCTL_TRUST_PROXY: 'true' }],
    ['GROUNDCTL_TRUST_PROXY', { GROUNDCTL_TRUST_PROXY: '10.0.0.0/33' }],
    ['GROUNDCTL_TRUST_PROXY', { GROUNDCTL_TRUST_PROXY: '0.0.0.0/0' }],
    ['GROUNDCTL_TRUST_PROXY', { GROUNDCTL_TRUST_PROXY: 'proxy.example' }],
    ['GROUNDCTL_TLS_KEY', { GROUNDCTL_TLS_CERT: '/cert.pem' }],
    ['GROUNDCTL_TLS_CERT', { GROUNDCTL_TLS_KEY: '/key.pem' }],
    ['GROUNDCTL_PUBLIC_URL', { ...certificate, GROUNDCTL_PUBLIC_URL: 'http://ground.example' }],
    ['GROUNDCTL_OPERATOR_PORT', { GROUNDCTL_OPERATOR_PORT: 'x' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'https://ground.example/path' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'https://user@ground.example' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'ftp://ground.example' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'ground.example' }],
    ['GROUNDCTL_PUBLIC_BASE_DOMAIN', { GROUNDCTL_PUBLIC_BASE_DOMAIN: 'https://apps.example.org' }],
    ['GROUNDCTL_PUBLIC_BASE_DOMAIN', { GROUNDCTL_PUBLIC_BASE_DOMAIN: 'Apps.example.org' }],
    ['GROUNDCTL_PUBLIC_BASE_DOMAIN', { GROUNDCTL_PUBLIC_BASE_DOMAIN: '-apps.example.org' }],
    ['GROUNDCTL_PUBLIC_BASE_DOMAIN', { GROUNDCTL_PUBLIC_BASE_DOMAIN: `${'a'.repeat(64)}.org` }],
    ['SVC_OPERATOR_TOKEN', { SVC_OPERATOR_TOKEN: 'short' }],
    ['GROUNDCTL_ALLOW_LOCAL_GIT', { GROUNDCTL_ALLOW_LOCAL_GIT: 'maybe' }],
    ['GROUNDCTL_REQUIRE_SANDBOX', { GROUNDCTL_REQUIRE_SANDBOX: 'yes please' }],
    ['GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX', { GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX: 'sometimes' }],
    ['GROUNDCTL_CONCURRENT_RUNS', { GROUNDCTL_CONCURRENT_RUNS: '0' }],
    ['GROUNDCTL_CONCURRENT_DRIFT_CHECKS', { GROUNDCTL_CONCURRENT_DRIFT_CHECKS: '9' }],
    ['GROUNDCTL_PLAN_TTL_HOURS', { GROUNDCTL_PLAN_TTL_HOURS: '1.5' }],
    ['GROUNDCTL_RUNNER_LEASE_SECONDS', { GROUNDCTL_RUNNER_LEASE_SECONDS: '2' }],
    ['GROUNDCTL_KEEP_DAYS', { GROUNDCTL_KEEP_DAYS: '0' }],
    ['GROUNDCTL_RUN_MEMORY_MB', { GROUNDCTL_RUN_MEMORY_MB: '255' }],
    ['GROUNDCTL_RUN_PROCESSES', { GROUNDCTL_RUN_PROCESSES: '-1' }],
    ['GROUNDCTL_RUN_DISK_MB', { GROUNDCTL_RUN_DISK_MB: '1.5' }],
  ];
  test.each(refused)('%s %o %o', (name, env, flags) => {
    expect(() => read(env, flags)).toThrow(SettingError);
    expect(() => read(env, flags)).toThrow(name);
  });
});
