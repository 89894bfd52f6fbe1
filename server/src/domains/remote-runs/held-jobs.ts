import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { Secret } from '#server/kernel/secret';
import { type Folders, type JobInput, jobDir } from '#server/runner/index';
import { type Mirror, openMirror } from './mirror.ts';
import type { RemoteJobRow, RemoteJobsStore } from './store.ts';

/** A job that a machine holds, as this server knows it. */
export type HeldJob = {
  row: RemoteJobRow;
  readonly key: Secret;
  readonly mirror: Mirror;
  /** Input of its machine; undefined until it is prepared, and after a restart of this server. */
  input: JobInput | undefined;
  /** True for a job from before the start of this server. */
  readonly isRestored: boolean;
  /** Time of the last sign of life of its machine. */
  seenAt: number;
  /** True while a permitted job has had no sign of life for the time of a lease. */
  isSilent: boolean;
  /** True while a file of its machine is on its way here. */
  isFetching: boolean;
  /** True when a person has asked to end it since this server started. */
  isCancelled: boolean;
  /** True when its machine says that no supervisor can conclude it, or a person has given it up. */
  isLost: boolean;
  /** True when its machine was revoked. */
  isAbandoned: boolean;
};

/** An apply that was ended without its machine. */
export type EndedJob = Pick<HeldJob, 'row' | 'key'>;

/** Reports whether a job is a lifecycle action of its Run. */
export const isAction = ({ row }: HeldJob): boolean => row.id !== row.runId;

type Deps = {
  clock: Clock;
  folders: Folders;
  store: RemoteJobsStore;
  vault: Pick<Vault, 'seal' | 'open'>;
  /** Milliseconds without a sign of life after which a job without a permit is given to another machine. */
  leaseMs: number;
  /** Called when the machine of a permitted job does not report any more, and when it does again. */
  onSilence: (job: HeldJob) => void;
  /** Called when the ticket of a job has become void. */
  onOver: (job: HeldJob) => void;
};

export type NewHeldJob = Pick<RemoteJobRow, 'id' | 'runId' | 'workspaceId' | 'machineId' | 'ticket'> & { key: Secret };
export type HeldJobs = ReturnType<typeof createHeldJobs>;

const contextOf = ({ id, workspaceId }: Pick<RemoteJobRow, 'id' | 'workspaceId'>) => ({
  table: 'remote_jobs',
  row: id,
  column: 'run_key',
  workspaceId,
});

/** The jobs that machines hold. The ledger has them; this adds what only a running server knows, such as leases. */
export function createHeldJobs(deps: Deps) {
  const { clock, store, vault } = deps;
  const memory = createMemory(deps);
  const { known, load, unload, notify, isExpired } = memory;

  /** Finds a job that a machine holds, also one from before the start of this server, whose lease then starts over. */
  function find(id: string): HeldJob | undefined {
    const job = known.get(id);
    if (job) return job;
    const row = store.find(id);
    if (!row) return undefined;
    const restored = load(row, new Secret(vault.open(contextOf(row), row.runKey)), true);
    if (restored.mirror.exists()) restored.mirror.repair();
    return restored;
  }

  return {
    find,
    watch: memory.watch,
    stop: memory.stop,
    /** Finds the attempt that a ticket names. */
    findClaimed(machineId: string, { jobId, ticket }: { jobId: string; ticket: string }): HeldJob | undefined {
      const job = find(jobId);
      return job?.row.machineId === machineId && job.row.ticket === ticket ? job : undefined;
    },
    /** Lists jobs that are over since a time, and whose machines have not returned for them. */
    listOver: (before: number): HeldJob[] => store.listOver(before).flatMap(({ id }) => find(id) ?? []),
    listOfMachine: (machineId: string): HeldJob[] => store.listOfMachine(machineId).flatMap(({ id }) => find(id) ?? []),
    /** Records a new attempt, in the caller's transaction. It replaces an earlier one. */
    add({ key, ...fields }: NewHeldJob): HeldJob {
      const runKey = vault.seal(contextOf(fields), key.revealBytes());
      const row = { ...fields, runKey, claimedAt: clock.now(), permittedAt: null, voidedAt: null };
      store.put(row);
      return load(row, key, false);
    },
    /** Reports whether its machine works on a job, as far as this server can know. */
    isAlive(id: string): boolean {
      const job = find(id);
      return job !== undefined && !job.isLost && !isExpired(job);
    },
    findKnown: memory.findKnown,
    provide: memory.provide,
    notify,
    noteSign(job: HeldJob): void {
      // What a revoked machine sent before may still arrive, but it does not come back.
      if (job.isAbandoned) return;
      const wasExpired = memory.isExpired(job);
      const { isSilent } = job;
      job.seenAt = clock.now();
      job.isSilent = false;
      if (wasExpired || isSilent) memory.armLease(job.row.id);
      if (isSilent) deps.onSilence(job);
    },
    lose: memory.lose,
    /**
     * Takes the jobs of a machine that was revoked and cannot report any more: those without a permit are lost, and
     * those with one are silent for good.
     */
    abandon(machineId: string): void {
      for (const job of store.listOfMachine(machineId).flatMap(({ id }) => find(id) ?? [])) {
        if (job.isAbandoned) continue;
        job.isAbandoned = true;
        if (job.row.permittedAt === null) memory.lose(job);
        else memory.fallSilent(job);
      }
    },
    /**
     * Records, in the caller's transaction, that the job is never given to another machine. Returns the time of its first
     * permit, for `notePermit` after the transaction.
     */
    permit({ row: { id, ticket, permittedAt } }: HeldJob): number {
      if (permittedAt !== null) return permittedAt;
      const now = clock.now();
      if (!store.permit(id, ticket, now)) throw new Error('the job was permitted by another request');
      return now;
    },
    notePermit(job: HeldJob, permittedAt: number): void {
      if (job.row.permittedAt !== null) return;
      job.row = { ...job.row, permittedAt };
      memory.armLease(job.row.id);
    },
    /** Makes the ticket of a job void. */
    drop(job: HeldJob): void {
      store.remove(job.row.id, job.row.ticket);
      unload(job);
    },
    ...createEndedJobs(deps, unload),
  };
}

/** Applies that were ended without their machines. */
const createEndedJobs = ({ clock, store, vault }: Deps, unload: (job: HeldJob) => void) => ({
  /** Makes the ticket of a permitted apply void. Its machine may still bring the state that it reached. */
  giveUp(job: HeldJob): void {
    store.void(job.row.id, job.row.ticket, clock.now());
    unload(job);
  },
  /** Finds an apply that was given up, by the ticket of its machine. */
  findEnded(machineId: string, { jobId, ticket }: { jobId: string; ticket: string }): EndedJob | undefined {
    const row = store.findVoided(jobId);
    if (row?.machineId !== machineId || row.ticket !== ticket) return undefined;
    return { row, key: new Secret(vault.open(contextOf(row), row.runKey)) };
  },
});

/** Facts about jobs that only a running server has, with the timers of their leases. */
function createMemory({ clock, folders, leaseMs, onSilence, onOver }: Deps) {
  const known = new Map<string, HeldJob>();
  const watchers = new Map<string, Set<() => void>>();
  const timers = new Map<string, NodeJS.Timeout>();

  const isExpired = ({ seenAt, row }: HeldJob): boolean => row.permittedAt === null && clock.now() - seenAt >= leaseMs;
  const notify = (id: string): void => {
    for (const wake of watchers.get(id) ?? []) wake();
  };

  function fallSilent(job: HeldJob): void {
    if (job.isSilent) return;
    job.isSilent = true;
    onSilence(job);
  }

  /** Wakes the followers of a job when its lease has ended. */
  function armLease(id: string): void {
    clearTimeout(timers.get(id));
    const job = known.get(id);
    if (!job || job.isSilent) return void timers.delete(id);
    const check = () => {
      const held = known.get(id);
      if (!held || isExpired(held)) return notify(id);
      if (clock.now() - held.seenAt < leaseMs) return armLease(id);
      fallSilent(held);
    };
    timers.set(id, setTimeout(check, Math.max(0, leaseMs - (clock.now() - job.seenAt)) + 1).unref());
  }

  return {
    known,
    armLease,
    fallSilent,
    /** Calls back those who watch a job. */
    notify,
    isExpired,
    /** Finds a job that was given away or looked up since this server started, without a query. */
    findKnown: (id: string): HeldJob | undefined => known.get(id),
    /** Gives a job its input. */
    provide(job: HeldJob, input: JobInput): void {
      job.input = input;
      notify(job.row.id);
    },
    lose(job: HeldJob): void {
      if (job.isLost) return;
      job.isLost = true;
      notify(job.row.id);
    },
    load(row: RemoteJobRow, key: Secret, isRestored: boolean): HeldJob {
      const mirror = openMirror(jobDir(folders, row.id));
      const flags = { isLost: false, isSilent: false, isFetching: false, isCancelled: false, isAbandoned: false };
      const job = { row, key, mirror, input: undefined, isRestored, seenAt: clock.now(), ...flags };
      known.set(row.id, job);
      armLease(row.id);
      return job;
    },
    unload(job: HeldJob): void {
      const { id } = job.row;
      known.delete(id);
      clearTimeout(timers.get(id));
      timers.delete(id);
      notify(id);
      onOver(job);
    },
    /** Calls back when a job may have been lost, or its input may be there. Returns the unsubscribe function. */
    watch(id: string, callback: () => void): () => void {
      const set = watchers.get(id) ?? new Set();
      watchers.set(id, set.add(callback));
      return () => {
        set.delete(callback);
        if (set.size === 0) watchers.delete(id);
      };
    },
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
