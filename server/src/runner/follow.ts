import type { JournalRecord } from './contract/execution-spec.ts';
import { journalFile, readJournal } from './contract/journal.ts';
import { watchPath } from './contract/watch-path.ts';

export type FollowOptions = {
  /** Byte offset in the journal to continue from: 0, or the offset of an earlier call. */
  fromOffset: number;
  /** Receives records and the offset after them; awaited, so that records are stored in order. */
  onRecords: (records: JournalRecord[], nextOffset: number) => void | Promise<void>;
  signal?: AbortSignal;
};

export type SupervisorWatch = {
  isAlive(): boolean;
  /** Calls back when the supervisor may have ended; returns the unsubscribe function. */
  onEnd(callback: () => void): () => void;
};

/**
 * Minimum milliseconds between two deliveries. A tool reports an event every few milliseconds, and each delivery costs
 * a transaction. Records that arrive sooner are delivered together: the delay is not visible, and the tool gets the
 * processor.
 */
const paceMs = 25;

/** Records that other steps depend on, which are delivered at once. */
const urgent: ReadonlySet<JournalRecord['t']> = new Set(['started', 'spawned', 'outcome']);

/**
 * Follows the journal of a Run to its outcome ('ended'), or to where it stops because its supervisor is gone ('lost').
 * Uses file system events and polls only where there are none. Rejects with the signal's reason when aborted.
 */
export async function followJournal(
  runDir: string,
  options: FollowOptions,
  supervisor: SupervisorWatch,
): Promise<'ended' | 'lost'> {
  const { signal, onRecords } = options;
  signal?.throwIfAborted();
  let offset = options.fromOffset;
  let hasOutcome = false;
  let takenAt = Number.NEGATIVE_INFINITY;
  const bell = createBell();
  const drain = async (isLast: boolean): Promise<void> => {
    for (;;) {
      const { records, nextOffset } = readJournal(runDir, offset);
      if (nextOffset === offset || hasOutcome) return;
      const earlyMs = takenAt + paceMs - performance.now();
      if (earlyMs > 0 && !isLast && !records.some(({ t }) => urgent.has(t))) return bell.ringIn(earlyMs);
      offset = nextOffset;
      takenAt = performance.now();
      hasOutcome ||= records.some((record) => record.t === 'outcome');
      await onRecords(records, nextOffset);
      signal?.throwIfAborted();
    }
  };
  const stopWatching = watchPath({ target: journalFile(runDir), onChange: bell.ring });
  const stopListening = supervisor.onEnd(bell.ring);
  signal?.addEventListener('abort', bell.ring);
  try {
    for (;;) {
      // Liveness is read first, so that records written before the end of the supervisor are not missed.
      const wasAlive = supervisor.isAlive();
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
