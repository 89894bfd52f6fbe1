import { type CapsuleRun, isApplyRun, noteItem, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { RunEnds } from './run-ends.ts';

export type FencePorts = {
  clock: Clock;
  runs: Pick<RunsService, 'getCapsuleRun' | 'append'>;
  fence: {
    /** Waits until this server may write. Resolves to the reason when it may not. */
    awaitHeld(signal: AbortSignal, onWait: (message: string) => void): Promise<string | undefined>;
  };
};

const interrupted = {
  code: 'apply_interrupted' as const,
  message: 'The apply was interrupted before its tool was started. Apply the plan again.',
};

/** Lets an apply wait for the fence, before anything of it is started. */
export function createFenceStep({ clock, runs, fence, ends }: FencePorts & { ends: RunEnds }) {
  const cancellations = new Map<string, AbortController>();

  /** Resolves to true when the apply may start, and to false when it has ended. */
  async function pass(run: CapsuleRun, stop: AbortSignal): Promise<boolean> {
    if (!isApplyRun(run)) return true;
    const cancellation = new AbortController();
    cancellations.set(run.id, cancellation);
    try {
      if (runs.getCapsuleRun(run.id).input.cancelledBy !== undefined) cancellation.abort();
      const note = (message: string) => runs.append(run.id, [noteItem(clock.now(), 'fence_not_held', message)]);
      const message = await fence.awaitHeld(AbortSignal.any([stop, cancellation.signal]), note);
      if (message === undefined) return true;
      ends.fail(runs.getCapsuleRun(run.id), { code: 'fence_not_held', message });
    } catch (error) {
      // A stop of the server leaves the Run to its next start.
      if (stop.aborted || !cancellation.signal.aborted) throw error;
      ends.fail(runs.getCapsuleRun(run.id), interrupted);
    } finally {
      cancellations.delete(run.id);
    }
    return false;
  }

  return Object.assign(pass, {
    /** Ends the wait of a Run that a person cancels. */
    cancel: (id: string): void => cancellations.get(id)?.abort(),
  });
}
