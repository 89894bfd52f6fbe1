import type { RunRecord } from './run-record.ts';
import type { Slot } from './slots.ts';

/** Background handler for Runs of some types. Its work either leaves the Run moved or rejects. */
export type RunHandler<R extends RunRecord = RunRecord> = {
  types: readonly R['type'][];
  /** Maximum number of these Runs that execute concurrently. */
  concurrency: number;
  /** Executes a Run that was just claimed. */
  execute(run: R, signal: AbortSignal, slot: Slot): Promise<void>;
  /**
   * Resumes a Run that was running when the server stopped, or whose handler left it running because it may not act; then
   * it is called again when it may.
   */
  resume(run: R, signal: AbortSignal, slot: Slot): Promise<void>;
  /** Reports whether resuming a Run only records what a supervisor does. */
  isFollowed?(run: R): boolean;
  /** Asks a running Run to end; the Run moves when it has ended. */
  cancel(run: R): void;
  /** Moves a Run whose handler rejected, so that none stays running. */
  fault(run: R, error: unknown): void;
};
