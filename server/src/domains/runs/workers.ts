import type { Clock } from '#server/kernel/clock';
import { required } from '#server/kernel/required';
import { limits } from '#shared/limits';
import { localPool } from '#shared/runs/contract';
import type { RunHandler } from './handler.ts';
import type { RunRecord } from './run-record.ts';
import type { RunsService } from './service.ts';
import { createSlots, type Slot } from './slots.ts';

/** Begin of the work on a Run. */
export type Start = { how: 'execute' | 'resume'; slot: Slot };

type Deps = {
  runs: RunsService;
  clock: Clock;
  handlers: readonly RunHandler[];
  handle: (handler: RunHandler, id: string, start: Start) => Promise<void>;
  /** Runs timer work without letting an error end the server. */
  attempt: (work: () => void) => boolean;
  /** Called when another Run may be claimed. */
  onFree: () => void;
};

/** Creates the work on Runs that handlers have now, with their heartbeats and slots. */
export function createWorkers({ runs, clock, handlers, handle, attempt, onFree }: Deps) {
  const slots = new Map(handlers.map((handler) => [handler, createSlots(handler.concurrency, onFree)]));
  const working = new Map<string, Promise<void>>();
  const slotsOf = (handler: RunHandler) => required(slots.get(handler), 'handler');
  // The machines of a pool have slots of their own, and claim no Run without one.
  const remote = createSlots(Number.POSITIVE_INFINITY, onFree);

  return {
    isFree: (handler: RunHandler): boolean => slotsOf(handler).isFree(),
    has: (runId: string): boolean => working.has(runId),

    /** Starts the work on a Run. */
    run(handler: RunHandler, { id, runnerPool }: RunRecord, how: Start['how']): void {
      const beat = setInterval(
        () => attempt(() => runs.store.beatRun(id, clock.now())),
        limits.heartbeatSeconds * 1_000,
      );
      const slot = (runnerPool === localPool ? slotsOf(handler) : remote).take();
      const work = handle(handler, id, { how, slot })
        // When the fault cannot be recorded the Run stays running; the next start resumes it.
        .catch(() => {})
        .finally(() => {
          clearInterval(beat);
          working.delete(id);
          slot.leave();
          onFree();
        });
      working.set(id, work);
    },

    /** Resolves when no handler works any more. */
    async settle(): Promise<void> {
      await Promise.allSettled(working.values());
    },
  };
}
