import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ExecutionSpec, JournalRecord, Phase } from './contract/execution-spec.ts';
import { openJournal } from './contract/journal.ts';
import { createRunner } from './runner.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-runner-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const identity = { pid: 2, startTime: '', bootId: '' };
const spawned = (command: string): JournalRecord => ({ t: 'spawned', at: 1, command, identity });
const outcome: JournalRecord = {
  t: 'outcome',
  at: 2,
  outcome: { kind: 'failed', errorCode: 'cancelled', message: 'x', phase: 'plan' },
};

const end = (phase: Phase): JournalRecord => ({ t: 'phase', at: 1, phase, state: 'finished' });

test.each([
  ['the start of init', 0, spawned('init')],
  ['the end of init', 0, end('init')],
  ['the start of plan', 0, spawned('plan')],
  ['the start of show', 0, spawned('show')],
  ['the end of a plan', 1, end('plan')],
  ['the start of apply', 0, spawned('apply')],
  ['the end of an apply', 1, end('apply')],
  ['the start of an action', 0, spawned('action')],
])('%s starts %d waiting supervisors', async (_name, count, record) => {
  const standbyDir = path.join(dir, 'standby');
  const runDir = path.join(dir, 'run');
  const entry = path.join(dir, 'entry.mjs');
  writeFileSync(entry, 'process.stdin.resume();');
  mkdirSync(runDir);
  mkdirSync(standbyDir);
  const runner = createRunner({ standbyDir, entry });
  const journal = openJournal(runDir);
  for (const one of [record, outcome]) journal.write(one);
  journal.close();
  expect(await runner.follow(runDir, { fromOffset: 0, onRecords() {} })).toBe('ended');
  expect(readdirSync(standbyDir).filter((name) => name.endsWith('.log'))).toHaveLength(count);
  await runner.close();
});

test('on a system that Runs do not support no supervisor starts', async () => {
  const standbyDir = path.join(dir, 'standby');
  const runDir = path.join(dir, 'run');
  const runner = createRunner({ standbyDir, platform: 'win32' });
  runner.warm();
  await expect(runner.start({ runDir } as ExecutionSpec)).rejects.toMatchObject({
    code: 'not_started',
    message: expect.stringMatching(/^No Run starts on Windows/),
  });
  expect([standbyDir, runDir].filter((folder) => existsSync(folder))).toEqual([]);
});
