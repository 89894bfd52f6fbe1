import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClient } from '#shared/kernel/client';
import { runsApi } from '#shared/runs/api';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { LineError } from '../line-error.ts';
import { createLine } from './line.ts';
import { createPaint, isColoured, programLine } from './terminal.ts';
import { tableText } from './text.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(() => server.close());

const here = () => ['--data-dir', server.dataDir];
const countSessions = () =>
  server.ledger(
    ({ sqlite }) =>
      sqlite.prepare('SELECT count(*) AS count FROM sessions WHERE revoked_at IS NULL').get() as { count: number },
  );

describe('a command at a server', () => {
  test('gives its session back, also when it fails', async () => {
    const before = countSessions();
    expect((await groundctl('runs', ...here())).out).toBe('There are no Runs yet.\n');
    expect((await groundctl('runs', 'show', 'plan_none', ...here())).code).toBe(1);
    expect(countSessions()).toEqual(before);
  });

  test('distinguishes an empty list from a search without matches', async () => {
    expect((await groundctl('runs', '--waiting', ...here())).out).toBe('There are no such Runs.\n');
    expect((await groundctl('sources', ...here())).out).toMatch(/^There are no Sources yet\. Install a module with: /);
    expect((await groundctl('sources', '--search', 'x', ...here())).out).toBe('There are no such Sources.\n');
  });

  test('leaves a token that it was given alone', async () => {
    vi.stubEnv('GROUNDCTL_TOKEN', server.token);
    expect((await groundctl('sources', '--url', server.url, '--json')).out).toBe('{"sources":[]}\n');
    expect((await groundctl('sources', ...here())).code).toBe(0);
  });

  test('names the Workspaces there are where one is named that is not', async () => {
    const { code, err } = await groundctl('runs', ...here(), '--workspace', 'elsewhere');
    expect([code, err]).toEqual([2, expect.stringMatching(/^There is no Workspace "elsewhere"\. There are: \S+\.\n/)]);
  });

  test('reports that an operator token was refused', async () => {
    vi.stubEnv('SVC_OPERATOR_TOKEN', 'x'.repeat(40));
    const { code, err } = await groundctl('runs', ...here());
    expect([code, err]).toEqual([1, expect.stringContaining('SVC_OPERATOR_TOKEN wins over the file')]);
    expect(err).not.toContain('xxxx');
  });

  test('reports that another program answers', async () => {
    const other = http.createServer((_, response) => response.writeHead(200).end('<html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    vi.stubEnv('GROUNDCTL_TOKEN', 'mine');
    const { code, err } = await groundctl('runs', '--url', url);
    await new Promise((resolve) => other.close(resolve));
    expect([code, err]).toEqual([1, expect.stringContaining('is not a Ground Control server')]);
    const gone = await groundctl('runs', '--url', url);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining(`No server answers at ${url}`)]);
  });
});

describe('a connection', () => {
  test('repeats a write with the same Idempotency-Key after it broke, once the server has answered before', async () => {
    const keys: (string | undefined)[] = [];
    const flaky = http.createServer((request, response) => {
      const key = request.headers['idempotency-key'] as string | undefined;
      if (request.method === 'POST' && keys.push(key) === 1) request.socket.destroy();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"run":{"id":"plan_1"}}');
    });
    await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve));
    const origin = () => `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`;
    const runs = createClient(
      runsApi,
      createLine({ origin }, async () => 'token', new AbortController().signal),
    );
    const params = { runId: 'plan_1' };
    await runs.getRun({ params });
    await runs.cancelRun({ params, body: {} });
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    flaky.closeAllConnections();
    await new Promise((resolve) => flaky.close(resolve));
  });

  test('gives up at once when the server never answered', async () => {
    const line = createLine({ origin: () => 'http://127.0.0.1:1' }, async () => 'token', new AbortController().signal);
    await expect(line({ method: 'GET', path: '/' })).rejects.toBeInstanceOf(LineError);
  });
});

describe('terminal output', () => {
  test('keeps the colors of program lines on a color terminal only, and drops all other control sequences', () => {
    const line = '\u001b[32mok\u001b[0m \u001b]0;own\u0007 \u001b[2J';
    expect(programLine(createPaint(false), line)).toBe('ok \\u{1b}]0;own\\u{7} \\u{1b}[2J');
    expect(programLine(createPaint(true), line)).toBe('\u001b[32mok\u001b[0m \\u{1b}]0;own\\u{7} \\u{1b}[2J\u001b[0m');
  });

  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
  ])('terminal %s with %j is coloured: %s', (isTerminal, env, expected) => {
    expect(isColoured(isTerminal, env)).toBe(expected);
  });

  test('makes a table as wide as its cells, and keeps a name with line breaks on one line', () => {
    expect(
      tableText(
        ['A', 'NAME', 'C'],
        [
          ['1', 'two\nlines', 'x'],
          ['long', '', ''],
        ],
        createPaint(false),
      ),
    ).toEqual(['A     NAME       C', '1     two lines  x', 'long']);
  });
});

describe('Capsules', () => {
  test('are listed with their status, and found by name', async () => {
    expect((await groundctl('capsules', ...here())).out).toMatch(
      /^There are no Capsules yet\. Install a module with: /,
    );
    const shop = await seedCapsule(server, { name: 'shop' });
    await seedCapsule(server, { name: 'gone', status: 'destroyed' });
    const list = (await groundctl('capsules', ...here())).out;
    expect(list).toContain(`${shop.id}  shop  test         pending`);
    expect(list).not.toContain('gone');
    expect((await groundctl('capsules', '--all', ...here())).out).toContain('gone');
    expect((await groundctl('capsules', '--search', 'x', ...here())).out).toBe('There are no such Capsules.\n');
    expect((await groundctl('resources', 'shop', ...here())).err).toBe(
      'This Capsule has no state yet. Apply a plan first.\n',
    );
  });

  test('are held with a reason, and released', async () => {
    await seedCapsule(server, { name: 'frozen' });
    const hold = (...more: string[]) => groundctl('hold', 'frozen', ...more, ...here());
    expect(await hold()).toMatchObject({ code: 2, err: expect.stringMatching(/^Name the reason with --reason/) });
    expect(await hold('--reason', 'x', '--until', 'soon')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^--until is not a time/),
    });
    expect((await hold('--reason', 'x', '--until', '2020-01-01')).err).toMatch(/must end in the future/);
    const until = '2099-01-01T08:00:00+01:00';
    expect((await hold('--reason', 'Sale', '--until', until)).out).toBe(
      'frozen is held until 2099-01-01 07:00:00Z. Plans are made, and nothing is applied.\n',
    );
    expect((await groundctl('capsules', '--search', 'frozen', ...here())).out).toContain('pending, held');
    const release = () => groundctl('release', 'frozen', ...here());
    expect([(await release()).out, (await release()).out]).toEqual(['frozen is released.\n', 'frozen is not held.\n']);
  });

  test('open in the desktop of the server, which is started again with their link', async () => {
    vi.stubEnv('DISPLAY', '');
    vi.stubEnv('WAYLAND_DISPLAY', '');
    const { id } = await seedCapsule(server, { name: 'shown' });
    const program = path.join(server.dataDir, 'desktop.sh');
    const shown = path.join(server.dataDir, 'shown');
    writeFileSync(program, `#!/bin/sh\necho "$@" >> '${shown}'\n`, { mode: 0o700 });
    const file = path.join(server.dataDir, 'runtime.json');
    const runtime = readFileSync(file, 'utf8');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(runtime), desktop: { program, args: ['/app'] } }));
    const lines = (count: number) =>
      vi.waitFor(() => {
        const text = existsSync(shown) ? readFileSync(shown, 'utf8') : '';
        expect(text.split('\n')).toHaveLength(count + 1);
        return text;
      });
    try {
      const opened = await groundctl('open', 'shown', ...here());
      expect([opened.out, opened.err]).toEqual([`${server.url}/capsules/${id}\n`, '']);
      expect(await lines(1)).toBe(`/app groundctl://capsules/${id}\n`);
      expect((await groundctl('open', ...here())).err).toBe('');
      expect(await lines(2)).toMatch(/\n\/app\n$/);
      // A page without a link of the desktop opens in the browser.
      expect((await groundctl('open', 'src_1', ...here())).err).toMatch(/^No browser/);
      writeFileSync(
        file,
        JSON.stringify({ ...JSON.parse(runtime), desktop: { program: `${program}.gone`, args: [] } }),
      );
      expect((await groundctl('open', 'shown', ...here())).err).toMatch(/^No browser/);
    } finally {
      writeFileSync(file, runtime);
    }
  });

  test('and other records have a page, whose address is printed where there is no browser', async () => {
    vi.stubEnv('DISPLAY', '');
    vi.stubEnv('WAYLAND_DISPLAY', '');
    const { id } = await seedCapsule(server, { name: 'paged' });
    const opened = await groundctl('open', 'paged', ...here());
    expect([opened.code, opened.out]).toEqual([0, `${server.url}/capsules/${id}\n`]);
    expect(opened.err).toBe('No browser could be opened here. Open the address yourself.\n');
    expect((await groundctl('open', 'plan_1', ...here())).out).toBe(`${server.url}/runs/plan_1\n`);
    expect((await groundctl('open', ...here())).out).toBe(`${server.url}/\n`);
    expect(await groundctl('open', 'paged', 'plan_1', ...here())).toMatchObject({ code: 2 });
    const missing = await groundctl('open', 'nowhere', ...here());
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringMatching(/^There is no Capsule "nowhere"\. List them/),
    ]);
  });
});
