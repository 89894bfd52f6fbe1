import {
  type ApplyRun,
  type CapsuleRun,
  isApplyRun,
  noteItem,
  type RunsService,
  type Slot,
} from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { RunEnds } from './run-ends.ts';

type FenceWait = { signal: AbortSignal; slot: Slot; onWait: (message: string) => void };

export type FencePorts = {
  db: Pick<Db, 'write'>;
  clock: Clock;
  runs: Pick<RunsService, 'getCapsuleRun' | 'append'>;
  fence: {
    /** Waits until this server may write, and holds the slot then. Resolves to the reason when it may not. */
    awaitHeld(wait: FenceWait): Promise<string | undefined>;
  };
  /** Gives the actions of a Run that have none a result. */
  actions: { endUnfinished(run: ApplyRun, message: string): void };
};

const interrupted = {
  code: 'apply_interrupted' as const,
  message: 'The apply was interrupted before its tool was started. Apply the plan again.',
};

/** Lets an apply wait for the fence, before its tool is started. */
export function createFenceStep({ db, clock, runs, fence, actions, ends }: FencePorts & { ends: RunEnds }) {
  const cancellations = new Map<string, AbortController>();

  function fail(id: string, failure: { code: 'fence_not_held' | 'apply_interrupted'; message: string }): void {
    const run = runs.getCapsuleRun(id);
    db.write(() => {
      if (isApplyRun(run)) actions.endUnfinished(run, failure.message);
      ends.fail(run, failure);
    });
  }

  /** Notes in the feed of a Run that it waits, once. */
  function createNote(id: string): (message: string) => void {
    let isNoted = false;
    return (message) => {
      if (!isNoted) runs.append(id, [noteItem(clock.now(), 'fence_not_held', message)]);
      isNoted = true;
    };
  }

  /** Resolves to true when the apply may start and has its slot, and to false when it has ended. */
  async function pass(run: CapsuleRun, stop: AbortSignal, slot: Slot): Promise<boolean> {
    if (!isApplyRun(run)) return true;
    const cancellation = new AbortController();
    cancellations.set(run.id, cancellation);
    try {
      if (runs.getCapsuleRun(run.id).input.cancelledBy !== undefined) cancellation.abort();
      const onWait = createNote(run.id);
      const signal = AbortSignal.any([stop, cancellation.signal]);
      const message = await fence.awaitHeld({ signal, slot, onWait });
      if (message === undefined) return true;
      fail(run.id, { code: 'fence_not_held', message });
    } catch (error) {
      // A stop of the server leaves the Run to its next start.
      if (stop.aborted || !cancellation.signal.aborted) throw error;
      fail(run.id, interrupted);
    } finally {
      cancellations.delete(run.id);
    }
    return false;
  }

  return {
    pass,
    /** Ends the wait of a Run that a person cancels. */
    cancel: (id: string): void => cancellations.get(id)?.abort(),
  };
}
