import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { hasMoreValuesThan } from '#server/drivers/tofu/index';
import { isChanging } from '#shared/plans/change';
import { RunnerError } from '../../os/runner-error.ts';
import type { JournalRecord, Phase } from './execution-spec.ts';

const durable: ReadonlySet<JournalRecord['t']> = new Set(['state', 'outcome']);

/** Reports whether a record must survive a power cut before anything depends on it. */
const isDurable = (record: JournalRecord): boolean =>
  durable.has(record.t) || (record.t === 'spawned' && (record.command === 'apply' || record.command === 'action'));
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

/**
 * Reports whether a record is written with its chunk: a change, which would be missing from the unfinished addresses when
 * its supervisor is killed, or a line of an apply, whose tool continues without it.
 */
const isPrompt = (record: JournalRecord): boolean =>
  record.t === 'resource'
    ? record.state !== 'progress' && isChanging(record.action)
    : record.t === 'log' && record.phase === 'apply';

const isPhaseEnd = (record: JournalRecord): boolean => record.t === 'phase' && record.state === 'finished';
const toolPhases: ReadonlySet<string> = new Set(['plan', 'apply'] satisfies Phase[]);

/**
 * Reports whether a record says that all commands of the tool have ended. It is written at once, so that the server can
 * start the next supervisor while this one reads the result. The end of another phase waits for the record after it,
 * which follows within milliseconds.
 */
export const isToolEnd = (record: JournalRecord): boolean =>
  record.t === 'phase' && record.state === 'finished' && toolPhases.has(record.phase);

/** A record after a pause of this length is written at once; later ones at this age, or after this many bytes. */
const batchMs = 20;
const batchBytes = 65_536;
const newline = 10;

export const journalFile = (runDir: string): string => path.join(runDir, 'journal.ndjson');

export type JournalWriter = {
  /**
   * Adds a record. A durable one is written and fsynced at once; the first one, changes and lines of an apply are
   * written at once, the rest soon. Throws when a durable record, or the first, cannot be written; it is kept, and `sync` retries. Other
   * records wait for free disk space, and are dropped when there are many.
   */
  write(record: JournalRecord): void;
  /** Writes pending records and makes them durable. */
  sync(): void;
  close(): void;
};

/** Maximum bytes of lines that wait for free disk space. Further log lines are dropped, because a running apply never ends for a log. */
const waitingMaxBytes = 8_388_608;
const retryMs = 1_000;
/** Bytes after which the journal is synced even without a durable record. */
const unsyncedMaxBytes = 1_048_576;

/**
 * Opens the journal of a Run, one JSON record per line. A line truncated by the death of an earlier writer is cut off,
 * so that the next record does not become part of it. The caller makes the name of the file durable before the first
 * durable record.
 */
export function openJournal(runDir: string): JournalWriter {
  const descriptor = openSync(journalFile(runDir), constants.O_RDWR | constants.O_CREAT, 0o600);
  cutTornLine(descriptor);
  const file = openTail(descriptor);
  const lines: string[] = [];
  let waitingBytes = 0;
  // Rest of partly written lines; writing continues where it stopped, never from the start.
  let partial = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  let flushedAt = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    flushedAt = performance.now();
    if (lines.length > 0) partial = Buffer.concat([partial, Buffer.from(lines.splice(0).join(''), 'utf8')]);
    while (partial.length > 0) partial = partial.subarray(file.write(partial));
    waitingBytes = 0;
  };
  const flushLater = (delayMs: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      tryFlush();
    }, delayMs);
  };
  const tryFlush = (): void => {
    try {
      flush();
      if (file.unsyncedBytes() > unsyncedMaxBytes) file.sync();
    } catch {
      flushLater(retryMs);
    }
  };
  // One chunk of a tool's stream holds many events. They become visible together, before anything more is read, so a
  // reader that reacts to one of them, even with a kill, finds the others of its chunk written too.
  let isSoon = false;
  const flushSoon = (): void => {
    if (isSoon) return;
    isSoon = true;
    queueMicrotask(() => {
      isSoon = false;
      tryFlush();
    });
  };
  const sync = (): void => {
    flush();
    file.sync();
  };
  return {
    write(record) {
      if (record.t === 'log' && waitingBytes + file.unsyncedBytes() > waitingMaxBytes) return;
      const line = `${JSON.stringify(record)}\n`;
      lines.push(line);
      waitingBytes += line.length;
      if (isDurable(record)) sync();
      else if (record.t === 'started') flush();
      else if (waitingBytes >= batchBytes || isToolEnd(record)) tryFlush();
      else if (isPrompt(record) || (!isPhaseEnd(record) && performance.now() - flushedAt > batchMs)) flushSoon();
      else flushLater(batchMs);
    },
    sync,
    close() {
      sync();
      closeSync(descriptor);
    },
  };
}

type Tail = { write(bytes: Buffer): number; sync(): void; unsyncedBytes(): number };

/**
 * Creates a writer for the end of a file. After a failed fsync the kernel may consider unwritten pages as written, and
 * the next fsync succeeds without effect (as PostgreSQL found in 2018). So bytes are held until an fsync covers them,
 * and are written again after a failed one.
 */
function openTail(descriptor: number): Tail {
  let end = fstatSync(descriptor).size;
  let unsynced: Buffer[] = [];
  let unsyncedBytes = 0;
  let isDoubtful = false;
  const writeAgain = (): void => {
    unsynced = [Buffer.concat(unsynced)];
    const bytes = unsynced[0] as Buffer;
    const start = end - bytes.length;
    for (let done = 0; done < bytes.length; )
      done += writeSync(descriptor, bytes, done, bytes.length - done, start + done);
  };
  return {
    write(bytes) {
      const written = writeSync(descriptor, bytes, 0, bytes.length, end);
      unsynced.push(Buffer.from(bytes.subarray(0, written)));
      unsyncedBytes += written;
      end += written;
      return written;
    },
    sync() {
      if (isDoubtful) writeAgain();
      isDoubtful = true;
      fsyncSync(descriptor);
      isDoubtful = false;
      unsynced = [];
      unsyncedBytes = 0;
    },
    unsyncedBytes: () => unsyncedBytes,
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

/**
 * Truncates a journal that a power cut damaged and returns its length. Fsynced records precede the first damaged line,
 * so no durable record is lost. Only for a journal whose writer has ended.
 */
export function truncateTornJournal(runDir: string): number {
  if (!existsSync(journalFile(runDir))) return 0;
  const bytes = readFileSync(journalFile(runDir));
  let end = 0;
  const isLine = (stop: number): boolean => stop - end <= lineMaxBytes && isWhole(bytes.toString('utf8', end, stop));
  for (let stop = bytes.indexOf(newline); stop >= 0 && isLine(stop); ) {
    end = stop + 1;
    stop = bytes.indexOf(newline, end);
  }
  if (end < bytes.length) truncateSync(journalFile(runDir), end);
  return end;
}

/** Reports whether a line is complete. Lost blocks of a file read as zeros, which JSON never allows. */
function isWhole(line: string): boolean {
  try {
    return typeof parseLine(line) === 'object';
  } catch {
    return false;
  }
}

/** Turns the value of a line into its record; undefined for one that is not a record. */
export type ReadRecord = (value: object) => JournalRecord | undefined;

type JournalSlice = { records: JournalRecord[]; nextOffset: number };

/** Bytes that are read at once; a longer line is read whole. */
const sliceBytes = 1_048_576;
const lineMaxBytes = 67_108_864;
/** Far beyond any plan, whose addresses are the largest list of a line. */
const lineMaxValues = 4_000_000;

/**
 * Returns the complete records from a byte offset on, and the next offset; leaves an unfinished last line for later.
 * Reads about 1 MiB at a time. Throws `journal_corrupt` for anything a supervisor does not write. Unless `read` is given,
 * the supervisor of this machine is trusted to write the members of its records.
 */
export function readJournal(runDir: string, fromOffset: number, read: ReadRecord = trustRecord): JournalSlice {
  let descriptor: number;
  try {
    descriptor = openSync(journalFile(runDir), 'r');
  } catch {
    return { records: [], nextOffset: fromOffset };
  }
  try {
    const restBytes = fstatSync(descriptor).size - fromOffset;
    if (restBytes <= 0) return { records: [], nextOffset: fromOffset };
    // Not larger than the rest: V8 collects garbage by the sizes of buffers, whether they are used or not.
    for (let size = Math.min(sliceBytes, restBytes); ; size *= 4) {
      const bytes = Buffer.allocUnsafe(size);
      const length = readSync(descriptor, bytes, 0, size, fromOffset);
      const end = bytes.subarray(0, length).lastIndexOf(newline) + 1;
      if (end > 0)
        return { records: parseLines(bytes.subarray(0, end), fromOffset, read), nextOffset: fromOffset + end };
      if (length < size) return { records: [], nextOffset: fromOffset };
      if (size >= lineMaxBytes) throw corrupt(fromOffset);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Yields every complete record of a journal from its beginning. */
export function* readWholeJournal(runDir: string): Generator<JournalRecord> {
  for (let offset = 0; ; ) {
    const { records, nextOffset } = readJournal(runDir, offset);
    if (nextOffset === offset) return;
    yield* records;
    offset = nextOffset;
  }
}

function parseLines(bytes: Buffer, fromOffset: number, read: ReadRecord): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start);
    const value = objectIn(bytes.toString('utf8', start, end));
    const record = value && read(value);
    if (record === undefined) throw corrupt(fromOffset + start);
    records.push(record);
    start = end + 1;
  }
  return records;
}

function objectIn(line: string): object | undefined {
  try {
    const value = parseLine(line);
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Throws for text that is not JSON, or that would exhaust the memory. */
function parseLine(line: string): unknown {
  if (hasMoreValuesThan(lineMaxValues, line)) throw new RangeError('The line has too many values.');
  return JSON.parse(line);
}

function trustRecord(value: { t?: unknown; at?: unknown; formatVersion?: unknown }): JournalRecord | undefined {
  const { t, at, formatVersion } = value;
  if (typeof t !== 'string' || !kinds.has(t) || !Number.isSafeInteger(at)) return undefined;
  return t === 'started' && formatVersion !== 1 ? undefined : (value as JournalRecord);
}

function corrupt(offset: number): RunnerError {
  return new RunnerError(
    'journal_corrupt',
    `The journal of the Run does not follow its format at byte ${offset}; it was written by another program or version.`,
  );
}
