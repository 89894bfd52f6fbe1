import type { JournalRecord } from './contract/job.ts';
import { journalFile, readJournal } from './contract/journal.ts';
import { watchPath } from './contract/watch-path.ts';

export type FollowOptions = {
  /** Byte offset in the journal to go on from: 0, or what an earlier call reported. */
  fromOffset: number;
  /** Takes records and the offset after them; awaited, so that what is stored stays in order. */
  onRecords: (records: JournalRecord[], nextOffset: number) => void | Promise<void>;
  signal?: AbortSignal;
};

export type SupervisorWatch = {
  isAlive(): boolean;
  /** Calls back when the supervisor may have ended; returns how to stop. */
  onEnd(callback: () => void): () => void;
};

/**
 * A tool at work tells something every few milliseconds, and to take it costs a transaction. What comes sooner than this
 * after the last records waits, and is taken together: nobody sees the difference, and the tool has the processor.
 */
const paceMs = 25;

/** What something follows from is taken as soon as it is told. */
const urgent: ReadonlySet<JournalRecord['t']> = new Set(['started', 'spawned', 'outcome']);

/**
 * Follows the journal of a Run to its outcome ('ended'), or to where it stops because its supervisor is gone ('lost').
 * The file system tells about new records; nothing polls where it can. Rejects with the signal's reason when aborted.
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
      // Whether it lives is asked first: what it wrote before its end is then read for certain.
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
  /** Rings once in so many milliseconds, unless it is about to already. */
  ringIn(delayMs: number): void;
  hush(): void;
  wait(): Promise<void>;
};

/** Rings are remembered, so that none is missed between two waits. */
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
