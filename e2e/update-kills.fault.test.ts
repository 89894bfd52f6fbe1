import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppImageRelease, startAppImageRelease } from './fixtures/app-image-release.ts';
import { isDeep } from './fixtures/depth.ts';
import { killLeftovers } from './fixtures/leftovers.ts';

/** Points of an update at which its process kills itself; a commit tries some of them. */
const points = 23;
const [first, step] = isDeep ? [1, 1] : [5, 8];

let folder = '';
let release: AppImageRelease;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-update-'));
  release = await startAppImageRelease(folder, folder);
});
afterAll(() => {
  release?.close();
  killLeftovers(folder);
  rmSync(folder, { recursive: true, force: true });
});

/** Updates in a process of its own. Point 0 is never reached. */
async function update(killAt = 0): Promise<{ code: number | null; signal: string | null; printed: string }> {
  const child = fork(path.join(import.meta.dirname, '../electron/test/update-once.ts'), {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_CACHE_HOME: path.join(folder, 'cache'),
      APPIMAGE: release.program,
      GROUNDCTL_KEY_SOURCE: 'file',
      GROUNDCTL_KEY_FILE: path.join(folder, 'test.key'),
      UPDATE_FOLDER: folder,
      UPDATE_CHANNEL: JSON.stringify(release.channel),
      UPDATE_KILL_AT: String(killAt),
    },
    execArgv: ['--import', path.join(import.meta.dirname, '../electron/test/update-hooks.ts')],
    silent: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
  const [code, signal] = await once(child, 'exit');
  return { code, signal, printed };
}

const copies = (): string[] => {
  const copiesDir = path.join(folder, 'data/ledger-copies');
  return existsSync(copiesDir) ? readdirSync(copiesDir).map((name) => path.join(copiesDir, name)) : [];
};

function expectSoundLedgers(): void {
  for (const file of [path.join(folder, 'data/ledger.db'), ...copies()]) {
    const ledger = new Database(file, { fileMustExist: true });
    expect(ledger.pragma('integrity_check(1)', { simple: true })).toBe('ok');
    expect(ledger.prepare('SELECT count(*) FROM workspaces').pluck().get()).toBe(1);
    ledger.close();
  }
}

test('a kill at any point of an update leaves a whole program and ledger, and the next update succeeds', async () => {
  for (let point = first; point <= points; point += step) {
    release.install();
    const killed = await update(point);
    expect(killed.signal, `point ${point}: ${killed.printed.slice(0, 2_000)}`).toBe('SIGKILL');
    expect(release.installed()).toBeDefined();
    const next = await update();
    expect(next.code, `after point ${point}: ${next.printed.slice(0, 2_000)}`).toBe(0);
    expect(release.installed()).toBe('new');
    expectSoundLedgers();
    expect(copies().filter((file) => !file.endsWith('.db'))).toEqual([]);
  }
});
