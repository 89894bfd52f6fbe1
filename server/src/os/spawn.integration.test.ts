import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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

test('a program that exceeds its time is killed', async () => {
  expect(await shell('exec sleep 60', { timeoutMs: 50 })).toMatchObject({ signal: 'SIGKILL', timedOut: true });
});

test('output beyond the limit is dropped', async () => {
  expect((await shell('head -c 100000 /dev/zero | tr "\\0" x', { maxBytes: 1_000 })).stdout).toHaveLength(1_000);
});

test('a missing program is reported with a message', async () => {
  await expect(runTool({ file: '/nowhere/x', argv: [], env: {}, timeoutMs: 1_000 })).rejects.toThrow(
    'could not be started (ENOENT)',
  );
});

test('an accidentally inherited descriptor does not reach child processes', async () => {
  const program = `import { spawnDetached } from ${JSON.stringify(path.join(import.meta.dirname, 'spawn.ts'))};
const child = await spawnDetached({ file: '/bin/sh', argv: ['-c', 'cat <&7 >&3'], env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
child.pipes[3].pipe(process.stdout);`;
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-spawn-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'start.ts'), program);
  writeFileSync(path.join(folder, 'secret'), 'a secret');
  const start = (script: string) =>
    runTool({ file: '/bin/sh', argv: ['-c', script, 'sh', process.execPath], env: {}, cwd: folder, timeoutMs: 20_000 });
  expect((await start('exec 7<secret; cat <&7')).stdout).toBe('a secret');
  expect(await start('exec 7<secret; exec "$1" start.ts')).toMatchObject({ code: 0, stdout: '' });
});
