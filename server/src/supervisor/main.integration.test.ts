import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryFile } from '#server/kernel/entry';
import { runTool } from '../os/spawn.ts';

let standbyDir: string;
beforeEach(() => {
  standbyDir = mkdtempSync(path.join(tmpdir(), 'gc-standby-'));
});
afterEach(() => rmSync(standbyDir, { recursive: true, force: true }));

const startWith = (env: { [name: string]: string }) =>
  runTool({
    file: process.execPath,
    argv: [entryFile('supervisor'), '--shared-network'],
    env,
    cwd: standbyDir,
    input: '',
    timeoutMs: 60_000,
  });

test('a supervisor that gets no spec exits', { timeout: 90_000 }, async () => {
  expect(await startWith({})).toMatchObject({ code: 0, stderr: '' });
});

test('a failpoint of a Run does not trigger in the warm-up before it', { timeout: 90_000 }, async () => {
  expect(await startWith({ GROUNDCTL_FAILPOINT: 'archive.written:kill' })).toMatchObject({ code: 0, signal: null });
});
