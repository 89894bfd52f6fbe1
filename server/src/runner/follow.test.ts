import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalRecord } from './contract/execution-spec.ts';
import { journalFile, openJournal } from './contract/journal.ts';
import { followJournal, type SupervisorWatch } from './follow.ts';

let runDir: string;
beforeEach(() => {
  runDir = mkdtempSync(path.join(tmpdir(), 'follow-'));
});
afterEach(() => rmSync(runDir, { recursive: true, force: true }));

const log = (text: string): JournalRecord => ({
  t: 'log',
  at: 1,
  phase: 'plan',
  stream: 'stdout',
  level: 'info',
  text,
});
const outcome: JournalRecord = {
  t: 'outcome',
  at: 2,
  outcome: { kind: 'failed', errorCode: 'plan_failed', message: 'x', phase: 'plan' },
};

function createSupervisor(): SupervisorWatch & { die(): void } {
  let isLiving = true;
  const callbacks = new Set<() => void>();
  return {
    isAlive: () => isLiving,
    onEnd(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    die() {
      isLiving = false;
      for (const callback of callbacks) callback();
    },
  };
}

test('records arrive in order as they are written, and the outcome ends it', async () => {
  const journal = openJournal(runDir);
  const texts: string[] = [];
  const followed = followJournal(
    runDir,
    {
      fromOffset: 0,
      async onRecords(records) {
        for (const record of records) texts.push(record.t === 'log' ? record.text : record.t);
        await Promise.resolve();
        if (texts.length < 5) journal.write(log(String(texts.length)));
        else if (texts.length === 5) journal.write(outcome);
      },
    },
    createSupervisor(),
  );
  journal.write(log('0'));
  expect(await followed).toBe('ended');
  expect(texts).toEqual([...Array.from({ length: 5 }, (_, index) => String(index)), 'outcome']);
  journal.close();
});

test('records in quick succession are delivered together, each once and with the offset after them', async () => {
  const journal = openJournal(runDir);
  const texts: string[] = [];
  const linesBefore: number[] = [];
  const counts: number[] = [];
  const startedAt = performance.now();
  const followed = followJournal(
    runDir,
    {
      fromOffset: 0,
      onRecords(records, nextOffset) {
        for (const record of records) texts.push(record.t === 'log' ? record.text : record.t);
        counts.push(texts.length);
        linesBefore.push(readFileSync(journalFile(runDir)).toString('utf8', 0, nextOffset).split('\n').length - 1);
      },
    },
    createSupervisor(),
  );
  for (let index = 0; index < 100; index += 1) {
    journal.write(log(String(index)));
    journal.sync();
    await setTimeout(1);
  }
  journal.write(outcome);
  expect(await followed).toBe('ended');
  expect(texts).toEqual([...Array.from({ length: 100 }, (_, index) => String(index)), 'outcome']);
  expect(counts.length).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 2);
  expect(linesBefore).toEqual(counts);
  journal.close();
});

test('the end of the tool is reported before its record is delivered', async () => {
  const journal = openJournal(runDir);
  const calls: string[] = [];
  const followed = followJournal(
    runDir,
    {
      fromOffset: 0,
      onRecords: (records) => void calls.push(...records.map(({ t }) => t)),
      onToolEnd() {
        calls.push('end of the tool');
        journal.write(outcome);
      },
    },
    createSupervisor(),
  );
  journal.write({ t: 'phase', at: 1, phase: 'plan', state: 'finished' });
  expect(await followed).toBe('ended');
  expect(calls).toEqual(['end of the tool', 'phase', 'outcome']);
  journal.close();
});

test('a long backlog is delivered in parts, in order and without a gap', async () => {
  const journal = openJournal(runDir);
  const texts = Array.from({ length: 400 }, (_, index) => `${index} ${'x'.repeat(8_192)}`);
  for (const text of texts) journal.write(log(text));
  journal.write(outcome);
  journal.close();
  const parts: string[][] = [];
  const onRecords = (records: JournalRecord[]) =>
    void parts.push(records.flatMap((record) => (record.t === 'log' ? [record.text] : [])));
  expect(await followJournal(runDir, { fromOffset: 0, onRecords }, createSupervisor())).toBe('ended');
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.flat()).toEqual(texts);
});

test('records written before the end of a supervisor are read before it is reported as lost', async () => {
  const journal = openJournal(runDir);
  const supervisor = createSupervisor();
  const seen: JournalRecord[] = [];
  const followed = followJournal(
    runDir,
    { fromOffset: 0, onRecords: (records) => void seen.push(...records) },
    supervisor,
  );
  journal.write(log('last words'));
  journal.close();
  supervisor.die();
  expect(await followed).toBe('lost');
  expect(seen).toEqual([log('last words')]);
});

test('an abort ends it with its reason, before and while it waits', async () => {
  const journal = openJournal(runDir);
  const stop = new AbortController();
  const followed = followJournal(
    runDir,
    { fromOffset: 0, onRecords: () => {}, signal: stop.signal },
    createSupervisor(),
  );
  stop.abort(new Error('enough'));
  await expect(followed).rejects.toThrow('enough');
  await expect(
    followJournal(runDir, { fromOffset: 0, onRecords: () => {}, signal: stop.signal }, createSupervisor()),
  ).rejects.toThrow('enough');
  journal.close();
});

test('a Run without a journal and without a supervisor is lost', async () => {
  const supervisor = createSupervisor();
  supervisor.die();
  expect(await followJournal(runDir, { fromOffset: 0, onRecords: () => {} }, supervisor)).toBe('lost');
});

test('an error of the reader of records is not swallowed', async () => {
  const journal = openJournal(runDir);
  journal.write(outcome);
  journal.close();
  const follow = followJournal(
    runDir,
    {
      fromOffset: 0,
      onRecords: () => {
        throw new Error('the ledger is read-only');
      },
    },
    createSupervisor(),
  );
  await expect(follow).rejects.toThrow('the ledger is read-only');
});
