import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Run } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { type Ended, groundctl, startGroundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { gatedModule, type HeldApply, openGate, startHeldApply } from './fixtures/held-apply.ts';
import { productEntry } from './fixtures/server.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

const here = () => ['--data-dir', harness.server.dataDir];
const json = <T>({ out }: Ended): T => JSON.parse(out) as T;
const count = (text: string, part: string): number => text.split(part).length - 1;

test('Ctrl-C leaves an apply running and says so; the log can be followed to its end afterwards', async () => {
  const { url } = harness.repository('held', { 'main.tf': gatedModule });
  const install = startGroundctl(['install', url, ...here(), '--auto-approve']);
  await install.until((text) => text.includes('fake_thing.held: Creating'));
  install.child.kill('SIGINT');
  const { code, err } = await install.ended;
  expect(code).toBe(130);
  const [, applyId = ''] = /The apply continues without this command\. .*groundctl logs -f (apply_\w+)/.exec(err) ?? [];
  const run = json<{ run: Run }>(await groundctl(['runs', 'show', applyId, ...here(), '--json'])).run;
  expect(run.status).toBe('running');
  const follower = startGroundctl(['logs', '-f', applyId, ...here()]);
  await follower.until((text) => text.includes('fake_thing.held: Creating'));
  openGate(harness, { capsuleId: run.capsuleId ?? '' } as HeldApply);
  expect(await follower.ended).toMatchObject({ code: 0, out: expect.stringContaining('Apply complete!') });
});

test('waits for a server that is killed and restarted, and no line is printed twice or lost', async () => {
  const held = await startHeldApply(harness, { name: 'killed' });
  const follower = startGroundctl(['logs', '-f', held.apply.id, ...here()]);
  await follower.until((text) => text.includes('fake_thing.held: Creating'));
  await harness.server.kill9();
  await follower.until((text) => text.includes('The connection to the server was lost'));
  await harness.server.restart();
  openGate(harness, held);
  const { code, out } = await follower.ended;
  expect(code).toBe(0);
  for (const name of ['early', 'held', 'later'])
    expect(count(out, `fake_thing.${name}: Creation complete`), name).toBe(1);
  const whole = await groundctl(['logs', held.apply.id, ...here()]);
  expect(whole.out).toBe(out);
});

test('a log in JSON is one event per line, `end` last', async () => {
  const held = await startHeldApply(harness, { name: 'lines' });
  const follower = startGroundctl(['logs', '-f', held.apply.id, ...here(), '--json']);
  openGate(harness, held);
  const lines = (await follower.ended).out.trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { event: string; status?: string });
  expect(events.at(-1)).toMatchObject({ event: 'end', status: 'succeeded' });
  expect(new Set(events.map(({ event }) => event))).toEqual(
    new Set(['audit', 'status', 'phase', 'resource', 'log', 'end']),
  );
});

describe('with a Source', () => {
  let source: Source;
  beforeAll(async () => {
    const { url } = harness.repository('source', { 'main.tf': 'output "a" {\n  value = 1\n}\n' });
    const { workspaceId } = harness;
    const { body } = await harness.http.post<{ source: Source }>('/api/v1/sources', { workspaceId, name: 'mine', url });
    source = body.source;
  });

  test('lists it, syncs it by name, and finds its Runs', async () => {
    const listed = await groundctl(['sources', ...here(), '--search', 'mine']);
    expect(listed.out.split('\n')[1]).toMatch(new RegExp(`^${source.id} {2}mine {2}active`));
    const synced = await groundctl(['sources', 'sync', 'mine', ...here(), '--json']);
    expect(json<{ run: Run }>(synced).run).toMatchObject({ sourceId: source.id, status: 'succeeded' });
    const runs = json<{ runs: Run[] }>(
      await groundctl(['runs', ...here(), '--type', 'source_sync', '--json', '--limit', '1']),
    );
    expect(runs.runs).toHaveLength(1);
    expect(await groundctl(['sources', 'sync', 'missing', ...here()])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no Source "missing"'),
    });
    expect((await groundctl(['runs', ...here(), '--status', 'bogus'])).code).toBe(2);
  });

  test('a reader that closes the pipe is not an error', async () => {
    const command = `"$1" "$2" runs --limit 100 --data-dir "$3" | head -n 1; exit "\${PIPESTATUS[0]}"`;
    const argv = ['--norc', '-c', command, 'bash', process.execPath, productEntry(), harness.server.dataDir];
    const shell = spawn('bash', argv, { env: { PATH: process.env.PATH ?? '' } });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(shell, 'close');
    expect([code, said]).toEqual([0, expect.stringMatching(/^RUN .*\n$/)]);
  });

  test("a token signs in at the server's address, and a refused token is reported", async () => {
    const at = ['sources', '--url', harness.server.url];
    const good = await groundctl(at, { env: { GROUNDCTL_TOKEN: harness.server.token } });
    expect(good).toMatchObject({ code: 0, out: expect.stringContaining(source.id) });
    const bad = await groundctl([...at, '--json'], { env: { GROUNDCTL_TOKEN: `sess_${'x'.repeat(43)}` } });
    expect(bad.code).toBe(1);
    expect(json(bad)).toMatchObject({ error: { code: expect.stringMatching(/^invalid_/) } });
    expect(bad.err).toContain('The server refused the token in GROUNDCTL_TOKEN');
    expect(bad.out + bad.err).not.toContain('xxxxx');
  });
});

test.skipIf(!existsSync('/usr/bin/script'))('asks a person at a terminal, in color, and accepts no', async () => {
  const { url } = harness.repository('asked', { 'main.tf': 'resource "terraform_data" "one" {}\n' });
  const atTerminal = async (name: string, answer: string, env: Record<string, string>) => {
    const command = [process.execPath, productEntry(), 'install', url, ...here(), '--name', name].join(' ');
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TERM: 'xterm', SHELL: '/bin/sh', ...env },
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      const before = said.includes('Type yes: ');
      said += chunk;
      if (!before && said.includes('Type yes: ')) child.stdin.write(`${answer}\n`);
    });
    const [code] = await once(child, 'close');
    return { code, said };
  };
  const no = await atTerminal('declined', 'no', { NO_COLOR: '1' });
  expect(no).toMatchObject({ code: 3, said: expect.stringContaining('Nothing was applied. The plan waits at') });
  expect(no.said).not.toContain('\u001b[32m');
  const stopped = await atTerminal('stopped', '\u0003', {});
  expect(stopped).toMatchObject({
    code: 130,
    said: expect.stringContaining('Nothing was applied. The plan waits at'),
  });
  const yes = await atTerminal('agreed', 'yes', {});
  expect(yes).toMatchObject({ code: 0, said: expect.stringContaining('\u001b[32m  + terraform_data.one\u001b[0m') });
});

test('reports a folder without a running server as text and as JSON', async () => {
  const ended = await groundctl(['runs', '--data-dir', '/nowhere', '--json']);
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('Start one with: groundctl serve') });
  expect(json(ended)).toMatchObject({ error: { code: 'no_server' } });
});
