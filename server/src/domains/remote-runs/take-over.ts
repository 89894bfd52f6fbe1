import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { type Folders, jobDir } from '#server/runner/index';
import { isApplyType } from '#shared/runs/contract';
import { openMirror } from './mirror.ts';
import type { RemoteJobsStore } from './store.ts';

type Deps = {
  clock: Clock;
  folders: Folders;
  store: Pick<RemoteJobsStore, 'list' | 'permit'>;
  runs: { findRecord: RunsService['findRecord'] };
  markStarted: (jobId: string, run: RunRecord) => void;
};

/**
 * Prepares the jobs of machines in a ledger that a promoted server continues, in the caller's transaction. Their journals
 * come again from the start. What may change something counts as permitted, because the permit may have been lost with the
 * earlier server. Returns the number of jobs.
 */
export function takeOverJobs({ clock, folders, store, runs, markStarted }: Deps): number {
  const held = store.list().flatMap((row) => {
    const run = runs.findRecord(row.runId);
    return run?.status === 'running' ? [{ row, run }] : [];
  });
  for (const { row, run } of held) {
    openMirror(jobDir(folders, row.id)).create();
    if (!isApplyType(run.type)) continue;
    if (row.permittedAt === null) store.permit(row.id, row.ticket, clock.now());
    markStarted(row.id, run);
  }
  return held.length;
}
