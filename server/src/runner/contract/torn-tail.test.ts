import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bootId } from '../../os/process-identity.ts';
import { createRunner } from '../runner.ts';
import { journalFile, openJournal } from './journal.ts';
import { writeSupervisor } from './supervisor-file.ts';

let runDir: string;
beforeEach(() => {
  runDir = mkdtempSync(path.join(tmpdir(), 'gc-torn-tail-'));
});
afterEach(() => rmSync(runDir, { recursive: true }));

const dead = 2 ** 22 - 1;
const runner = createRunner({ standbyDir: path.join(tmpdir(), 'gc-no-standby') });

/** Writes a journal with one durable record and, behind it, damage of a power cut. Returns its intact length. */
function tear(): number {
  const journal = openJournal(runDir);
  journal.write({ t: 'started', at: 1, formatVersion: 1, identity: { pid: dead, startTime: '1', bootId: 'other' } });
  journal.close();
  const { size } = statSync(journalFile(runDir));
  appendFileSync(journalFile(runDir), Buffer.concat([Buffer.alloc(600), Buffer.from('late"}\n')]));
  return size;
}

test('a journal damaged in an earlier boot is truncated to its last complete record', () => {
  const sound = tear();
  writeSupervisor(runDir, { pid: dead, startTime: '1', bootId: 'other' });
  expect(runner.truncateTornTail(runDir)).toBe(sound);
  expect(statSync(journalFile(runDir)).size).toBe(sound);
});

test('so is one whose supervisor is unknown', () => {
  expect(runner.truncateTornTail(runDir)).toBe(0);
  expect(tear()).toBe(runner.truncateTornTail(runDir));
});

test('in the same boot nothing was lost, so an unreadable line is kept and refused', () => {
  tear();
  const { size } = statSync(journalFile(runDir));
  writeSupervisor(runDir, { pid: dead, startTime: '1', bootId });
  expect(runner.truncateTornTail(runDir)).toBeUndefined();
  expect(statSync(journalFile(runDir)).size).toBe(size);
});
