import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { syncFolder } from './durable-file.ts';
import type { JournalRecord } from './job.ts';
import { RunnerError } from './runner-error.ts';

/** Records that must survive a power cut before anything follows from them. */
const durable: ReadonlySet<JournalRecord['t']> = new Set(['started', 'spawned', 'state', 'outcome']);
const kinds: ReadonlySet<string> = new Set([
  'started',
  'phase',
  'spawned',
  'log',
  'diagnostic',
  'resource',
  'state',
  'outcome',
] satisfies JournalRecord['t'][]);

/** Waiting records are written when they are this old or this many bytes. */
const batchMs = 20;
const batchBytes = 65_536;
const newline = 10;

export const journalFile = (runDir: string): string => path.join(runDir, 'journal.ndjson');

export type JournalWriter = {
  /** Adds a record: at once and fsynced for those that count, soon for the rest. */
  write(record: JournalRecord): void;
  flush(): void;
  close(): void;
};

/**
 * Opens the journal of a Run, one JSON record per line. A line torn by the death of an earlier writer is cut off, so
 * that the next record does not become part of it.
 */
export function openJournal(runDir: string): JournalWriter {
  const file = journalFile(runDir);
  const descriptor = openSync(file, 'a+', 0o600);
  cutTornLine(descriptor);
  syncFolder(runDir);
  let waiting: string[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const bytes = Buffer.from(waiting.join(''), 'utf8');
    waiting = [];
    waitingBytes = 0;
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  };
  return {
    write(record) {
      const line = `${JSON.stringify(record)}\n`;
      waiting.push(line);
      waitingBytes += line.length;
      if (durable.has(record.t)) {
        flush();
        fsyncSync(descriptor);
      } else if (waitingBytes >= batchBytes) flush();
      else timer ??= setTimeout(flush, batchMs);
    },
    flush,
    close() {
      flush();
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
  };
}

function cutTornLine(descriptor: number): void {
  const { size } = fstatSync(descriptor);
  const block = Buffer.alloc(batchBytes);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length);
    const length = readSync(descriptor, block, 0, end - start, start);
    const last = block.subarray(0, length).lastIndexOf(newline);
    if (last >= 0) {
      if (start + last + 1 < size) ftruncateSync(descriptor, start + last + 1);
      return;
    }
    end = start;
  }
  if (size > 0) ftruncateSync(descriptor, 0);
}

export type JournalSlice = { records: JournalRecord[]; nextOffset: number };

/** How much of a journal is read at once; a longer line than this is read whole. */
const sliceBytes = 1_048_576;
const lineMaxBytes = 67_108_864;

/**
 * The complete records from a byte offset on, and the offset to go on from; an unfinished last line is left for later.
 * Reads about 1 MiB at a time. Throws `journal_corrupt` for anything a supervisor does not write.
 */
export function readJournal(runDir: string, fromOffset: number): JournalSlice {
  let descriptor: number;
  try {
    descriptor = openSync(journalFile(runDir), 'r');
  } catch {
    return { records: [], nextOffset: fromOffset };
  }
  try {
    for (let size = sliceBytes; ; size *= 4) {
      const bytes = Buffer.allocUnsafe(size);
      const length = readSync(descriptor, bytes, 0, size, fromOffset);
      const end = bytes.subarray(0, length).lastIndexOf(newline) + 1;
      if (end > 0) return { records: parseLines(bytes.subarray(0, end), fromOffset), nextOffset: fromOffset + end };
      if (length < size) return { records: [], nextOffset: fromOffset };
      if (size >= lineMaxBytes) throw corrupt(fromOffset);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Every complete record of a journal from its beginning. */
export function* readWholeJournal(runDir: string): Generator<JournalRecord> {
  for (let offset = 0; ; ) {
    const { records, nextOffset } = readJournal(runDir, offset);
    if (nextOffset === offset) return;
    yield* records;
    offset = nextOffset;
  }
}

function parseLines(bytes: Buffer, fromOffset: number): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start);
    records.push(parseRecord(bytes.toString('utf8', start, end), fromOffset + start));
    start = end + 1;
  }
  return records;
}

function parseRecord(line: string, offset: number): JournalRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw corrupt(offset);
  }
  if (value === null || typeof value !== 'object') throw corrupt(offset);
  const { t, at } = value as { t?: unknown; at?: unknown };
  if (typeof t !== 'string' || !kinds.has(t) || !Number.isSafeInteger(at)) throw corrupt(offset);
  if (t === 'started' && (value as { formatVersion?: unknown }).formatVersion !== 1) throw corrupt(offset);
  return value as JournalRecord;
}

function corrupt(offset: number): RunnerError {
  return new RunnerError(
    'journal_corrupt',
    `The journal of the Run does not follow its format at byte ${offset}; it was written by another program or version.`,
  );
}
