import type { JournalRecord } from './contract/execution-spec.ts';
import { isToolEnd, journalFile, type ReadRecord, readJournal } from './contract/journal.ts';
import { watchPath } from './contract/watch-path.ts';

export type FollowOptions = {
  /** Byte offset in the journal to continue from: 0, or the offset of an earlier call. */
  fromOffset: number;
  /** Receives records and the offset after them; awaited, so that records are stored in order. */
  onRecords: (records: JournalRecord[], nextOffset: number) => void | Promise<void>;
  /** Called when all commands of the tool have ended. Its record and the outcome are delivered later. */
  onToolEnd?: () => void;
  signal?: AbortSignal;
};

export type SupervisorWatch = {
  isAlive(): boolean;
  /** Calls back when the supervisor may have ended; returns the unsubscribe function. */
  onEnd(callback: () => void): () => void;
};

/**
 * Minimum milliseconds between two deliveries. A tool reports an event every few milliseconds, and each delivery costs
 * a transaction. Records that arrive sooner are delivered together: the delay is hardly visible, and the tool gets the
 * processor.
 */
const paceMs = 100;
/** Milliseconds before the first delivery, which shows a reader that the Run lives. */
const firstPaceMs = 25;
/** Bytes of records that are delivered without a wait, so that a long backlog is neither slow nor in memory as a whole. */
const waitingMaxBytes = 262_144;

/** Reports whether other steps depend on a record, so that it is delivered at once. */
const isUrgent = (record: JournalRecord): boolean =>
  record.t === 'outcome' || (record.t === 'spawned' && dispatchingCommands.has(record.command));
const dispatchingCommands: ReadonlySet<string> = new Set(['apply', 'action']);

/**
 * Follows the journal of a Run to its outcome ('ended'), or to where it stops because its supervisor is gone ('lost').
 * Uses file system events and polls only where there are none. `read` parses the records of another machine. Rejects with
 * the signal's reason when aborted, and with `journal_corrupt`.
 */
export async function followJournal(
  runDir: string,
  options: FollowOptions,
  supervisor: SupervisorWatch,
  read?: ReadRecord,
): Promise<'ended' | 'lost'> {
  const { signal, onRecords, onToolEnd = () => {} } = options;
  signal?.throwIfAborted();
  let offset = options.fromOffset;
  // Records that were read and are not delivered yet, so that each line is parsed once.
  let waiting: JournalRecord[] = [];
  let readOffset = offset;
  let hasOutcome = false;
  // A supervisor has just written its first record, and the next ones follow at once.
  let dueAt = performance.now() + firstPaceMs;
  const bell = createBell();
  const readNext = (): JournalRecord[] => {
    const { records, nextOffset } = readJournal(runDir, readOffset, read);
    readOffset = nextOffset;
    if (records.some(isToolEnd)) onToolEnd();
    return records;
  };
  const drain = async (isLast: boolean): Promise<void> => {
    while (!hasOutcome) {
      const records = readNext();
      waiting = waiting.length === 0 ? records : waiting.concat(records);
      if (waiting.length === 0) return;
      const isDue = isLast || readOffset - offset >= waitingMaxBytes || records.some(isUrgent);
      const earlyMs = dueAt - performance.now();
      if (earlyMs > 0 && !isDue) return bell.ringIn(earlyMs);
      const delivered = waiting;
      waiting = [];
      offset = readOffset;
      dueAt = performance.now() + paceMs;
      hasOutcome = delivered.some((record) => record.t === 'outcome');
      await onRecords(delivered, offset);
      signal?.throwIfAborted();
    }
  };
  const stopWatching = watchPath({ target: journalFile(runDir), onChange: bell.ring });
  // Only a reported end is looked into, because that reads files.
  let mayHaveEnded = !supervisor.isAlive();
  const stopListening = supervisor.onEnd(() => {
    mayHaveEnded = true;
    bell.ring();
  });
  signal?.addEventListener('abort', bell.ring);
  try {
    for (;;) {
      // Liveness is read first, so that records written before the end of the supervisor are not missed.
      const wasAlive = !mayHaveEnded || supervisor.isAlive();
      await drain(!wasAlive);
      if (hasOutcome) return 'ended';
      if (!wasAlive) return 'lost';
      await bell.wait();
      signal?.throwIfAborted();
    }
  } finally {
    stopWatching();
    stopListening();
    signal?.removeEventListener('abort', bell.ring);
    bell.hush();
  }
}

type Bell = {
  ring(): void;
  /** Rings after so many milliseconds, unless it is about to ring already. */
  ringIn(delayMs: number): void;
  hush(): void;
  wait(): Promise<void>;
};

/** Creates a bell that remembers rings, so that none is missed between two waits. */
function createBell(): Bell {
  let isRung = false;
  let wake: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ring = (): void => {
    isRung = true;
    wake?.();
  };
  return {
    ring,
    ringIn(delayMs) {
      timer ??= setTimeout(() => {
        timer = undefined;
        ring();
      }, delayMs);
    },
    hush: () => clearTimeout(timer),
    async wait() {
      if (!isRung)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      wake = undefined;
      isRung = false;
    },
  };
}
