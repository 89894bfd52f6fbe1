import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalRecord } from './execution-spec.ts';
import { journalFile, openJournal, readJournal, readWholeJournal, truncateTornJournal } from './journal.ts';

let runDir: string;
beforeEach(() => {
  runDir = mkdtempSync(path.join(tmpdir(), 'journal-'));
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
const started: JournalRecord = {
  t: 'started',
  at: 1,
  formatVersion: 1,
  identity: { pid: 1, startTime: '2', bootId: '3' },
};

test('records come back in order, from any offset that an earlier read returned', () => {
  const journal = openJournal(runDir);
  journal.write(started);
  const first = readJournal(runDir, 0);
  expect(first.records).toEqual([started]);
  journal.write(log('é\n🚀'));
  journal.close();
  expect(readJournal(runDir, first.nextOffset).records).toEqual([log('é\n🚀')]);
  expect([...readWholeJournal(runDir)]).toHaveLength(2);
});

test('a started record is in the file when write returns, a log line at the latest with the next durable record', () => {
  const journal = openJournal(runDir);
  journal.write(log('a'));
  expect(statSync(journalFile(runDir)).size).toBe(0);
  journal.write(started);
  expect(readJournal(runDir, 0).records).toEqual([log('a'), started]);
  journal.close();
});

test.each(['plan', 'apply'] as const)('the end of the %s phase is in the file when write returns', (phase) => {
  const journal = openJournal(runDir);
  const toolEnd: JournalRecord = { t: 'phase', at: 1, phase, state: 'finished' };
  journal.write(log('a'));
  journal.write(toolEnd);
  expect(readJournal(runDir, 0).records).toEqual([log('a'), toolEnd]);
  journal.close();
});

test('a log line after a pause is written before anything else runs, and the end of init with the record after it', async () => {
  const phaseEnd: JournalRecord = { t: 'phase', at: 1, phase: 'init', state: 'finished' };
  const state: JournalRecord = { t: 'state', at: 1, file: 'x', lineage: 'y', serial: 1 };
  const journal = openJournal(runDir);
  journal.write(phaseEnd);
  await Promise.resolve();
  expect(statSync(journalFile(runDir)).size).toBe(0);
  journal.write(log('a'));
  await Promise.resolve();
  expect(readJournal(runDir, 0).records).toEqual([phaseEnd, log('a')]);
  journal.write(phaseEnd);
  journal.write(state);
  expect(readJournal(runDir, 0).records).toEqual([phaseEnd, log('a'), phaseEnd, state]);
  journal.close();
});

test('a truncated last line is not read, and the next writer cuts it off', () => {
  const journal = openJournal(runDir);
  journal.write(started);
  journal.close();
  const complete = statSync(journalFile(runDir)).size;
  appendFileSync(journalFile(runDir), '{"t":"log","at":1,"te');
  expect(readJournal(runDir, 0)).toEqual({ records: [started], nextOffset: complete });
  const second = openJournal(runDir);
  second.write(log('b'));
  second.close();
  expect([...readWholeJournal(runDir)]).toEqual([started, log('b')]);
});

test('a journal with only a truncated line starts from the beginning', () => {
  appendFileSync(journalFile(runDir), '{"t":"star');
  openJournal(runDir).close();
  expect(readFileSync(journalFile(runDir), 'utf8')).toBe('');
});

test('a line longer than one slice is read whole', () => {
  const journal = openJournal(runDir);
  journal.write(log('x'.repeat(3_000_000)));
  journal.write(log('y'));
  journal.close();
  expect([...readWholeJournal(runDir)]).toHaveLength(2);
});

test.each(['null', '{"t":"other","at":1}', '{"t":"log"}', 'no json', '{"t":"started","at":1,"formatVersion":2}'])(
  'a foreign line is refused: %s',
  (line) => {
    appendFileSync(journalFile(runDir), `${line}\n`);
    expect(() => readJournal(runDir, 0)).toThrow(/does not follow its format at byte 0/);
  },
);

test('a journal that does not exist yet has no records', () => {
  expect(readJournal(runDir, 0)).toEqual({ records: [], nextOffset: 0 });
});

test('a journal damaged by a power cut is truncated before the first incomplete line', () => {
  const journal = openJournal(runDir);
  journal.write(started);
  journal.write(log('x'.repeat(2_000)));
  journal.write(log('late'));
  journal.close();
  const sound = readJournal(runDir, 0).records;
  const bytes = readFileSync(journalFile(runDir));
  const start = bytes.indexOf('xxxx');
  writeFileSync(journalFile(runDir), bytes.fill(0, start, start + 512));
  const length = truncateTornJournal(runDir);
  expect([...readWholeJournal(runDir)]).toEqual(sound.slice(0, 1));
  expect(statSync(journalFile(runDir)).size).toBe(length);
  openJournal(runDir).write(started);
  expect([...readWholeJournal(runDir)]).toEqual([started, started]);
});

test('an intact journal, an empty one and a missing one stay unchanged', () => {
  expect(truncateTornJournal(runDir)).toBe(0);
  const journal = openJournal(runDir);
  expect(truncateTornJournal(runDir)).toBe(0);
  journal.write(started);
  journal.close();
  const { size } = statSync(journalFile(runDir));
  expect(truncateTornJournal(runDir)).toBe(size);
});

test('a line of another version does not count as truncated', () => {
  writeFileSync(journalFile(runDir), '{"t":"started","at":1,"formatVersion":2}\n');
  truncateTornJournal(runDir);
  expect(() => readJournal(runDir, 0)).toThrow('another program or version');
});
