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

describe('a setting that cannot be used is named', () => {
  const refused: [string, Environment, object?][] = [
    ['--data-dir', { GROUNDCTL_DATA_DIR: '' }],
    ['--port', { GROUNDCTL_PORT: '65536' }],
    ['--port', {}, { port: '-1' }],
    ['--port', {}, { port: '0x10' }],
    ['loopback', { GROUNDCTL_HOST: '0.0.0.0' }],
    ['loopback', {}, { host: '127.0.0.1.evil.example' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'https://ground.example/path' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'https://user@ground.example' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'ftp://ground.example' }],
    ['GROUNDCTL_PUBLIC_URL', { GROUNDCTL_PUBLIC_URL: 'ground.example' }],
    ['SVC_OPERATOR_TOKEN', { SVC_OPERATOR_TOKEN: 'short' }],
    ['GROUNDCTL_ALLOW_LOCAL_GIT', { GROUNDCTL_ALLOW_LOCAL_GIT: 'maybe' }],
    ['GROUNDCTL_CONCURRENT_RUNS', { GROUNDCTL_CONCURRENT_RUNS: '0' }],
    ['GROUNDCTL_PLAN_TTL_HOURS', { GROUNDCTL_PLAN_TTL_HOURS: '1.5' }],
  ];
  test.each(refused)('%s %o %o', (name, env, flags) => {
    expect(() => read(env, flags)).toThrow(SettingError);
    expect(() => read(env, flags)).toThrow(name);
  });
});
