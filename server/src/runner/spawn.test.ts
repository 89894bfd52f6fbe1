import { expect, test } from 'vitest';
import { runTool } from './spawn.ts';

const shell = (script: string, more: { input?: string; timeoutMs?: number; maxBytes?: number } = {}) =>
  runTool({ file: '/bin/sh', argv: ['-c', script], env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000, ...more });

test('output, errors and exit code are captured, input is given', async () => {
  expect(await shell('cat; echo err >&2; exit 3', { input: 'in' })).toEqual({
    code: 3,
    signal: null,
    stdout: 'in',
    stderr: 'err\n',
    timedOut: false,
  });
});

test('nothing is inherited', async () => {
  expect((await shell('env | grep -v -e "^PWD=" -e "^_=" -e "^SHLVL="')).stdout).toBe('PATH=/usr/bin:/bin\n');
});

test('a program over its time is killed', async () => {
  expect(await shell('exec sleep 60', { timeoutMs: 50 })).toMatchObject({ signal: 'SIGKILL', timedOut: true });
});

test('output beyond the limit is dropped', async () => {
  expect((await shell('head -c 100000 /dev/zero | tr "\\0" x', { maxBytes: 1_000 })).stdout).toHaveLength(1_000);
});

test('a program that is not there is told in a sentence', async () => {
  await expect(runTool({ file: '/nowhere/x', argv: [], env: {}, timeoutMs: 1_000 })).rejects.toThrow(
    'could not be started (ENOENT)',
  );
});
