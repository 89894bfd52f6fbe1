import { faultFields, type Log } from '#server/kernel/log';
import type { WorkGate } from '#server/kernel/work-gate';
import { copyLimits } from '#shared/limits';
import type { RevisionProgress } from './maker.ts';
import type { CopiesStore, RevisionHead } from './store.ts';

/** Work on one revision. It either leaves the revision moved or rejects. */
export type RevisionWork = (
  head: RevisionHead,
  job: { signal: AbortSignal; onProgress: (progress: RevisionProgress) => void },
) => Promise<void>;

type Deps = {
  log: Log;
  store: Pick<CopiesStore, 'listWork'>;
  /** While it is closed nothing starts. */
  workGate: WorkGate;
  work: RevisionWork;
  /** Ends a revision whose work rejected. */
  fail: (head: RevisionHead, error: unknown) => void;
  /** Publishes that a revision has more progress. */
  onProgress: (head: RevisionHead) => void;
  /** Removes what the work on revisions left that have ended. */
  removeLeftovers: () => Promise<void>;
  /** Removes what the work on a revision wrote. */
  removeWork: (revisionId: string) => Promise<void>;
};

export type CopyCoordinator = ReturnType<typeof createCopyCoordinator>;

/**
 * Works on the revisions that the ledger names, a few at a time. The rows are the queue, so that a start continues what
 * the last process left. It wakes when a revision was created or approved and when one has ended; no timer runs.
 */
export function createCopyCoordinator({
  log,
  store,
  workGate,
  work,
  fail,
  onProgress,
  removeLeftovers,
  removeWork,
}: Deps) {
  const stopping = new AbortController();
  const jobs = new Map<string, { cancel: AbortController; done: Promise<void> }>();
  const progress = new Map<string, RevisionProgress>();
  /** Removals in progress. */
  const removals = new Set<Promise<unknown>>();
  /** Revisions whose end could not be recorded. The next start of the server works on them again. */
  const stuck = new Set<string>();
  let isStarted = false;

  async function run(head: RevisionHead, signal: AbortSignal): Promise<void> {
    const report = (now: RevisionProgress) => {
      if (signal.aborted) return;
      progress.set(head.id, now);
      onProgress(head);
    };
    try {
      await work(head, { signal, onProgress: report });
    } catch (error) {
      // The revision stays as it is, for the next start or the opening of the gate.
      if (stopping.signal.aborted || !workGate.mayAct()) return;
      try {
        fail(head, error);
      } catch (fault) {
        stuck.add(head.id);
        log.error({ revisionId: head.id, ...faultFields(fault) }, 'the end of a copy could not be recorded');
      }
    }
  }

  function launch(head: RevisionHead): void {
    const cancel = new AbortController();
    const deadline = AbortSignal.timeout(copyLimits.seconds * 1_000);
    const done = run(head, AbortSignal.any([stopping.signal, cancel.signal, deadline])).finally(() => {
      jobs.delete(head.id);
      progress.delete(head.id);
      wake();
    });
    jobs.set(head.id, { cancel, done });
  }

  function wake(): void {
    if (!isStarted || stopping.signal.aborted || !workGate.mayAct()) return;
    const free = copyLimits.concurrent - jobs.size;
    if (free <= 0) return;
    for (const head of store.listWork([...jobs.keys(), ...stuck], free)) launch(head);
  }
  workGate.onOpen(wake);

  /** Starts a removal. What it leaves when it fails is unknown to the ledger, so a sweep removes it. */
  function track(remove: () => Promise<unknown>): void {
    const removal = remove()
      .catch((error) => log.warn(faultFields(error), 'files of a copy could not be removed'))
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  return {
    start(): void {
      isStarted = true;
      track(removeLeftovers);
      wake();
    },
    wake,
    track,
    /** Ends the work on a revision that was cancelled or deleted, and removes what it wrote. */
    discard(revisionId: string): void {
      const job = jobs.get(revisionId);
      job?.cancel.abort();
      track(async () => {
        await job?.done;
        await removeWork(revisionId);
      });
    },
    findProgress: (revisionId: string): RevisionProgress | undefined => progress.get(revisionId),
    /** Leaves the revisions as they are and waits until no work writes any more. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.allSettled([...[...jobs.values()].map(({ done }) => done), ...removals]);
    },
  };
}
