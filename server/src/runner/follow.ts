import type { JournalRecord } from './job.ts';
import { journalFile, readJournal } from './journal.ts';
import { watchPath } from './watch-path.ts';

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
  const drain = async (): Promise<void> => {
    for (;;) {
      const { records, nextOffset } = readJournal(runDir, offset);
      if (nextOffset === offset || hasOutcome) return;
      offset = nextOffset;
      hasOutcome ||= records.some((record) => record.t === 'outcome');
      await onRecords(records, nextOffset);
      signal?.throwIfAborted();
    }
  };
  const bell = createBell();
  const stopWatching = watchPath({ target: journalFile(runDir), onChange: bell.ring });
  const stopListening = supervisor.onEnd(bell.ring);
  signal?.addEventListener('abort', bell.ring);
  try {
    for (;;) {
      // Whether it lives is asked first: what it wrote before its end is then read for certain.
      const wasAlive = supervisor.isAlive();
      await drain();
      if (hasOutcome) return 'ended';
      if (!wasAlive) return 'lost';
      await bell.wait();
      signal?.throwIfAborted();
    }
  } finally {
    stopWatching();
    stopListening();
    signal?.removeEventListener('abort', bell.ring);
  }
}

/** Rings are remembered, so that none is missed between two waits. */
function createBell(): { ring: () => void; wait: () => Promise<void> } {
  let isRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      isRung = true;
      wake?.();
    },
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
