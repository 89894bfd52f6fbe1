import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { startServer } from './fixtures/server.ts';

/** Returns the commands of the API walkthrough as one script: every `sh` block of the page, in order. */
function readWalkthroughScript(folder: string): string {
  const page = readFileSync(path.join(repositoryRoot, 'docs/api-walkthrough.md'), 'utf8');
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  expect(blocks.length).toBeGreaterThan(5);
  return blocks.join('\n').replaceAll('/tmp/groundctl-walk', folder);
}

test('the commands of docs/api-walkthrough.md install, change and apply a module', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'groundctl-walk-'));
  const server = await startServer();
  try {
    symlinkSync(server.dataDir, path.join(folder, 'data'));
    const env = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, HOME: folder };
    const shell = spawn('sh', ['-euc', readWalkthroughScript(folder)], { cwd: repositoryRoot, env });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(shell, 'close');
    expect({ code, said }).toMatchObject({ code: 0 });
    for (const expected of [
      'review_run',
      'waiting_approval',
      '"status":"succeeded"',
      "greetings: { Ada: 'Hello, Ada!'",
    ]) {
      expect(said).toContain(expected);
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
