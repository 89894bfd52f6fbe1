import { expect, test } from 'vitest';
import { readImageTarget } from './dockerfile.ts';

test('reads the server with what it has from the stage below', () => {
  const image = readImageTarget('server');
  expect(image).toMatchObject({
    from: expect.stringMatching(/^node:24-bookworm/),
    copies: [{ from: '/image', to: '/opt/groundctl' }],
    user: '10001',
    workDir: '/opt/groundctl',
    volumes: ['/data', '/key'],
    argv: ['node', 'dist/server/groundctl.js', 'serve'],
  });
  expect(image.env).toMatchObject({ GROUNDCTL_DATA_DIR: '/data', GROUNDCTL_HOST: '0.0.0.0' });
  expect(image.run).toEqual([expect.stringMatching(/^apt-get update .* bubblewrap .* chown groundctl \/data \/key$/)]);
});

test('reads the runner, which listens on nothing', () => {
  const { argv, env, volumes } = readImageTarget('runner');
  expect({ argv: argv.slice(-3), env, volumes }).toEqual({
    argv: ['runner', '--data-dir', '/data'],
    env: { GROUNDCTL_DATA_DIR: '/data' },
    volumes: ['/data'],
  });
});

test('refuses a target that does not exist, and a copy of the checkout', () => {
  expect(() => readImageTarget('desktop')).toThrow('no target desktop');
  expect(() => readImageTarget('a', 'FROM b AS a\nCOPY . /opt\n')).toThrow('stage `build` only');
});
