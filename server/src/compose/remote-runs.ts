import { actionKeyOf } from '../domains/execution/index.ts';
import type { LateStatesService } from '../domains/late-states/index.ts';
import { createLifecycleStore } from '../domains/lifecycle/index.ts';
import { createRemoteRuns, type RemoteRuns } from '../domains/remote-runs/index.ts';
import { type CapsuleRun, isApplyRun, type RunQueue, type RunRecord } from '../domains/runs/index.ts';
import type { Job } from '../runner/index.ts';
import { type AppContext, foldersOf } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import { readNatsAuthority } from './nats-authority.ts';
import type { RecordDomains } from './records.ts';

/** Builds the Runs on machines of pools; undefined while NATS is not configured. */
export function buildRemoteRuns(
  context: AppContext,
  { shared, runs, workGate, points }: BaseDomains,
  { runnerPools }: Pick<RecordDomains, 'runnerPools'>,
): RemoteRuns | undefined {
  const { nats: found, runnerLeaseMs: leaseMs } = context.settings;
  if (found === undefined) return undefined;
  const { log, vault, settings } = context;
  const nats = { ...found, ca: readNatsAuthority(settings) };
  const folders = foldersOf(settings);
  const pools = runnerPools;
  const remote = createRemoteRuns({ ...shared, log, vault, workGate, points, runs, pools, folders, nats, leaseMs });
  runnerPools.attachNats(remote.texts);
  return remote;
}

type RemoteWork = {
  remote: RemoteRuns | undefined;
  db: AppContext['db'];
  clock: AppContext['clock'];
  runs: BaseDomains['runs'];
  runnerPools: RecordDomains['runnerPools'];
  queue: RunQueue;
  buildJob: (run: CapsuleRun, mode: Job['mode']) => Promise<Job>;
  lateStates: Pick<LateStatesService, 'take'>;
  sealed: Pick<RecordDomains['stores']['plans'], 'findSeal'>;
};

/** Builds the start and stop of the work with machines, which needs the queue. */
export function buildRemoteWork(parts: RemoteWork) {
  const { remote, db, clock, runs, runnerPools, queue, buildJob, lateStates, sealed } = parts;
  const actions = createLifecycleStore(db);
  const findNeededTool = (runId: string) => {
    const run = runs.findRecord(runId);
    const seal = run && isApplyRun(run) ? sealed.findSeal(run.planRunId) : undefined;
    return seal && { name: seal.toolName, version: seal.toolVersion };
  };

  /** Records what a permit allows: an apply or an action that may have started is never started elsewhere. */
  function markStarted(jobId: string, run: RunRecord): void {
    const key = actionKeyOf(jobId);
    if (key) actions.update(key, { invoked: true });
    else if (isApplyRun(run)) runs.extendInput(run, { dispatched: true });
  }

  return {
    start: (): void =>
      remote?.start({
        queue,
        listClaimable: () => runs.store.listClaimable(runnerPools.listPoolIds(), clock.now()),
        rebuildJob: (runId) => buildJob(runs.getCapsuleRun(runId), 'adopt'),
        isActionOver: (jobId) => {
          const key = actionKeyOf(jobId);
          return key !== undefined && actions.find(key)?.result != null;
        },
        markStarted,
        takeLateState: lateStates.take,
        findNeededTool,
      }),
    stop: async (): Promise<void> => remote?.stop(),
    /** Prepares the running applies of a ledger that a promoted server continues: each may have started its tool. Returns the number of jobs of machines. */
    takeOver(): number {
      for (const run of runs.store.listByStatus('running')) if (isApplyRun(run)) markStarted(run.id, run);
      return remote?.takeOver(markStarted) ?? 0;
    },
  };
}
