import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { createHeldJobs, type HeldJob } from '../src/domains/remote-runs/held-jobs.ts';
import { createRemoteJobsStore } from '../src/domains/remote-runs/store.ts';
import type { PoolClaim } from '../src/domains/runs/index.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { Secret } from '../src/kernel/secret.ts';
import type { Folders } from '../src/runner/index.ts';
import type { ScheduleFixture } from './schedule-fixture.ts';
import { playRuns } from './simulated-runs.ts';

export const machineId = 'rnr_1';
export const poolId = 'pool_1';

const vault = {
  seal: (_context: unknown, plain: Uint8Array) => Buffer.from(plain),
  open: (_context: unknown, sealed: Buffer) => sealed,
};

/** Opens the jobs of machines on the ledger of a fixture, as a server has them after its start. */
export function openHeldJobs({ db, dataDir, workspaceId }: ScheduleFixture, clock: Clock, leaseMs = 50) {
  const folders: Folders = {
    runs: `${dataDir}/runs`,
    capsules: `${dataDir}/capsules`,
    archives: `${dataDir}/archives`,
    providers: `${dataDir}/providers`,
    mirror: undefined,
  };
  const onSilence = vi.fn<(job: HeldJob) => void>();
  const onOver = vi.fn<(job: HeldJob) => void>();
  const jobs = createHeldJobs({ clock, folders, store: createRemoteJobsStore(db), vault, leaseMs, onSilence, onOver });
  return {
    folders,
    jobs,
    onSilence,
    onOver,
    /** Gives a Run to the machine. */
    add(runId: string, ticket = randomBytes(16).toString('hex')): HeldJob {
      const fields = { id: runId, runId, workspaceId, machineId, ticket };
      return db.write(() => jobs.add({ ...fields, key: new Secret(randomBytes(32)) }));
    },
  };
}

/** Creates a plan that waits in the pool of the machine. Returns its id. */
export function queueInPool(fixture: ScheduleFixture, capsuleId = fixture.makeCapsule().id): string {
  const { id } = fixture.domains.plans.createPlan(capsuleId, playRuns(fixture).createInput());
  fixture.db.sqlite.prepare('UPDATE runs SET runner_pool = ? WHERE id = ?').run(poolId, id);
  return id;
}

/** Creates an apply that waits in the pool of the machine, as far as machines are concerned. Returns its id. */
export function queueApplyInPool(fixture: ScheduleFixture): string {
  const id = queueInPool(fixture);
  fixture.db.sqlite.prepare("UPDATE runs SET type = 'apply', plan_run_id = id WHERE id = ?").run(id);
  return id;
}

/** Claims a Run as the queue does, without the work of its handler. Undefined when it cannot start now. */
export function claimOf({ domains: { runs } }: ScheduleFixture, clock: Clock) {
  return (pool: string, { runId: id, record }: PoolClaim = {}) => {
    const waiting = runs.store.findClaimable({ types: ['plan', 'apply'], pool, id }, clock.now());
    const set = { startedAt: clock.now(), heartbeatAt: clock.now(), attempts: (waiting?.attempts ?? 0) + 1 };
    return waiting && runs.move(waiting.id, 'claim', { set, ...(record && { record }) });
  };
}
