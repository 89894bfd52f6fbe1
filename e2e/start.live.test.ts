import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { killLeftovers } from './fixtures/leftovers.ts';

let folder: string;
let running: Started[];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-start-'));
  running = [];
});
afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGINT');
    await exited;
  }
  killLeftovers(folder);
  rmSync(folder, { recursive: true, force: true });
});

type Started = { child: ChildProcess; exited: Promise<number | null>; said(): string };

/** Runs `npm start` after its build, as a person without a display, or with the display of `env`. */
function start(file: string, env: Record<string, string> = {}): Started {
  const own = {
    PATH: `${folder}/bin:/usr/bin:/bin`,
    HOME: folder,
    XDG_DATA_HOME: path.join(folder, 'share'),
    GROUNDCTL_KEY_SOURCE: 'file',
  };
  const [name = '', ...argv] = file.split(' ');
  const child = spawn(process.execPath, [path.join(repositoryRoot, name), ...argv], { env: { ...own, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const started = { child, exited: once(child, 'exit').then(([code]) => code), said: () => text };
  running.push(started);
  return started;
}
const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 50 });
const link = /http:\/\/127\.0\.0\.1:\d+\/sign-in#\S+/;

test('without a display it prints one line about it and serves the dashboard to the browser', async () => {
  execFileSync(process.execPath, ['server/build.mjs'], { cwd: repositoryRoot });
  const server = start('electron/start.ts');
  await until(() => expect(server.said()).toContain('Press Ctrl-C'));
  const [first, second, third, ...rest] = server.said().trim().split('\n');
  expect(first).toBe('There is no display for a desktop window. The dashboard is served to the browser instead.');
  expect(second).toMatch(/^Ground Control serves http:\/\/127\.0\.0\.1:\d+, with its data in .*\/share\/groundctl$/);
  expect(third).toMatch(new RegExp(`^Open in a browser: ${link.source}  \\(once, within five minutes\\)$`));
  expect(rest).toEqual(['Press Ctrl-C to stop it.']);
  const again = start('electron/start.ts --browser');
  expect(await again.exited).toBe(0);
  const { origin } = new URL(link.exec(server.said())?.[0] ?? '');
  expect(again.said()).toContain(`Ground Control already serves ${origin}\n`);
  expect(new URL(link.exec(again.said())?.[0] ?? '').origin).toBe(origin);
  server.child.kill('SIGINT');
  expect(await server.exited).toBe(0);
});

test('with a display it opens the browser with a private page that redirects to the link', async () => {
  mkdirSync(path.join(folder, 'bin'));
  const opened = path.join(folder, 'opened');
  writeFileSync(path.join(folder, 'bin/xdg-open'), `#!/bin/sh\necho "$DISPLAY $1" > ${opened}\n`, { mode: 0o755 });
  const server = start('server/src/cli/main.ts start', { DISPLAY: ':7' });
  await until(() => expect(server.said()).toContain('Press Ctrl-C'));
  const [address = ''] = link.exec(server.said()) ?? [];
  expect(server.said()).toContain(`The browser was opened with: ${address}`);
  await until(() => expect(readFileSync(opened, 'utf8')).toMatch(/^:7 file:\S+\n$/));
  const page = readFileSync(opened, 'utf8').slice(3).trim();
  expect(page).not.toContain(new URL(address).hash.slice(1));
  expect(statSync(new URL(page)).mode & 0o777).toBe(0o600);
  expect(readFileSync(new URL(page), 'utf8')).toContain(`url=${address}"`);
});
