import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { startServer } from './fixtures/server.ts';

/** Returns the shell of the guide's requests, as one script. */
function script(): string {
  const guide = readFileSync(path.join(repositoryRoot, 'docs/api.md'), 'utf8');
  const [, section = ''] = /\n## A few requests with curl\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  expect(blocks.length).toBeGreaterThan(3);
  return blocks.join('\necho\n');
}

test('the requests of the API guide work as described', async () => {
  const server = await startServer();
  try {
    const env = { PATH: process.env.PATH ?? '', BASE: server.url, TOKEN: server.token };
    const shell = spawn('sh', ['-euc', script()], { env });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(shell, 'close');
    expect({ code, said }).toMatchObject({ code: 0 });
    const [, first, second] = said.match(/"source":\{"id":"(src_\w+)"[\s\S]*?"source":\{"id":"(src_\w+)"/) ?? [];
    expect(first).toBeDefined();
    expect(second).toBe(first);
    expect(said).toContain('"action":"source.created"');
    expect(said).toContain('"code":"not_found"');
    expect(said.match(/"action":"source.created"/g)).toHaveLength(1);
  } finally {
    await server.stop();
  }
});
