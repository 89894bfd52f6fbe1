import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import { everyWorkspace, type Outbox } from '#server/kernel/outbox';
import { afterCreated, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { next as nextState } from '#shared/kernel/machine';
import { runnerLimits } from '#shared/limits';
import type { runnerPoolsApi } from '#shared/runner-pools/api';
import type { MachineFacts, ReportedFacts, RunnerMachine, VersionSkew } from '#shared/runner-pools/contract';
import { type MachineEvent, type MachineState, runnerMachineStates } from '#shared/runner-pools/machine';
import type { MachineRow, MachinesStore, NamedMachine } from './machines-store.ts';
import { isLive, machineOf, versionSkewOf } from './records.ts';

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  store: MachinesStore;
  /** Returns the number of Runs that each machine executes; none for a machine that is not named. */
  countRunning: () => ReadonlyMap<string, number>;
  /** Format of the jobs that this server writes. */
  jobFormat: number;
};

const actionOf = {
  drain: 'runner.drained',
  resume: 'runner.resumed',
  revoke: 'runner.revoked',
} as const satisfies Record<MachineEvent, string>;
const targetOf: Record<MachineEvent, MachineState> = { drain: 'draining', resume: 'active', revoke: 'revoked' };

/** Reads and moves the machines of pools, and keeps the time of the last report of each. */
export function createMachines({ db, clock, cursors, outbox, activity, store, countRunning, jobFormat }: Deps) {
  const moved: ((machine: MachineRow) => void)[] = [];
  const publish = ({ id, state }: MachineRow): void =>
    outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id, status: state });

  const shown = (row: NamedMachine, running = countRunning()): RunnerMachine =>
    machineOf(row, { now: clock.now(), jobFormat, runningRuns: running.get(row.id) ?? 0 });
  const shownAll = (rows: readonly NamedMachine[]): RunnerMachine[] => {
    const running = countRunning();
    return rows.map((row) => shown(row, running));
  };

  function getMachine(id: string): NamedMachine {
    const row = store.findMachine(id);
    if (!row) throw notFound('runner machine');
    return row;
  }

  return {
    /** Registers work that runs inside the transaction in which the state of a machine changes. */
    onMoved: (work: (machine: MachineRow) => void): void => void moved.push(work),
    findMachine: store.findMachine,
    /** Returns why a machine gets no Runs of this server; undefined when it reads their format. */
    findVersionSkew: ({ facts }: MachineRow): VersionSkew | undefined => versionSkewOf(facts, jobFormat),

    /** Moves a machine; a repeated call changes nothing. 409 `conflict` for a revoked machine. */
    moveMachine(id: string, event: MachineEvent, actorId: string): RunnerMachine {
      return db.write(() => {
        const row = getMachine(id);
        if (row.state === targetOf[event]) return shown(row);
        const state = nextState(runnerMachineStates, row.state, event);
        if (!state) throw new AppError('conflict', 'A revoked machine stays revoked. Enrol the machine again instead.');
        const revoked = state === 'revoked' ? { revokedAt: clock.now(), revokedBy: actorId } : {};
        if (!store.moveMachine(id, row.state, { state, ...revoked }))
          throw new AppError('conflict', 'The machine was modified by another request. Reload and try again.');
        const after = getMachine(id);
        activity.record({
          actorId,
          action: actionOf[event],
          targetType: 'runner',
          targetId: id,
          metadata: { poolId: row.poolId },
        });
        publish(after);
        for (const work of moved) work(after);
        return shown(after);
      });
    },

    /**
     * Notes a report of a machine. Writes at most every 10 seconds, unless what it reports of itself has changed.
     * Returns the state that the machine has to follow; undefined for an unknown machine.
     */
    noteBeat(id: string, reported: ReportedFacts, now: number): MachineState | undefined {
      const row = store.findMachine(id);
      if (!row || row.state === 'revoked') return row?.state;
      const facts: MachineFacts = { name: row.facts.name, ...reported };
      const isChanged = jsonDigest(facts) !== jsonDigest(row.facts);
      if (!isChanged && now - (row.lastSeenAt ?? 0) < runnerLimits.seenEveryMs) return row.state;
      return db.write(() => {
        const lastSeenAt = Math.max(now, row.lastSeenAt ?? 0);
        store.moveMachine(id, row.state, { lastSeenAt, ...(isChanged && { facts }) });
        if (isChanged || !isLive(row, now)) publish(row);
        return store.findMachine(id)?.state;
      });
    },

    listMachinePage({ poolId, ...page }: ListQueryOf<typeof runnerPoolsApi.listRunnerMachines>) {
      const { rows, next } = readPage(cursors, page, {
        binding: `runner-machines:${JSON.stringify({ poolId })}`,
        fetch: (after, limit) => store.listMachines(poolId, afterCreated(after), limit),
        positionOf: ({ enrolledAt, id }) => [enrolledAt, id],
      });
      return { runnerMachines: shownAll(rows), ...next };
    },

    /** Lists the machines of all pools, also revoked ones, as the ledger has them. */
    listMembers: store.listAll,

    /** Lists every machine of a pool, oldest first, also revoked ones. */
    listMachines: (poolId: string): RunnerMachine[] =>
      shownAll(store.listMachines(poolId, afterCreated(undefined), Number.MAX_SAFE_INTEGER)),
  };
}
