import { createStateComparison } from '#server/domains/restores/index';
import { endedByOf, type RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { present } from '#server/kernel/present';
import { isTerminal } from '#shared/kernel/machine';
import type { lateStatesApi } from '#shared/late-states/api';
import type { LateState, LateStatePhase } from '#shared/late-states/contract';
import { limits } from '#shared/limits';
import type { StateDifference } from '#shared/restores/contract';
import { runMachineOf } from '#shared/runs/machine';
import { type AdoptionPorts, createAdoption, createSuccession, openLateState, requireUndecided } from './adoption.ts';
import { createIntake } from './intake.ts';
import { publishLateState } from './records.ts';
import { createLateStatesStore, type LateStateRow, type LateStatesStore } from './store.ts';

type Deps = AdoptionPorts &
  Omit<Parameters<typeof createIntake>[0], 'store'> & {
    db: Db;
    clock: Clock;
    cursors: Cursors;
    runs: Pick<RunsService, 'onMoving'>;
    states: Pick<StateVersionsService, 'openCurrent'>;
  };

export type LateStatesService = ReturnType<typeof createLateStatesService>;

const expiryMs = limits.abandonedPlanDays * 86_400_000;

const phaseOf = ({ end, restoreRunId }: LateStateRow): LateStatePhase =>
  end ?? (restoreRunId === null ? 'waiting' : 'requested');

/** States that arrive after their applies were ended: nothing is committed until a person adopts one. */
export function createLateStatesService(deps: Deps) {
  const { db, cursors, runs } = deps;
  const store = createLateStatesStore(db);
  const adopt = createAdoption({ ...deps, store });
  const readerOf = createReader(deps);
  const lateStateOf = (row: LateStateRow): LateState => readerOf(row.capsuleId)(row);
  const { endRow, onDecided } = createDecisions(store);

  function getRow(id: string): LateStateRow {
    const row = store.find(id);
    if (!row) throw notFound('late state');
    return row;
  }

  runs.onMoving(({ id, type, status }) => {
    if (type !== 'restore' || !isTerminal(runMachineOf(type), status)) return;
    const row = store.findByRestore(id);
    if (!row) return;
    // Another restore can adopt it when this one did not.
    if (status === 'succeeded') endRow(row, 'adopted');
    else store.update(row.id, { restoreRunId: null });
  });

  return {
    take: createIntake({ ...deps, store }),
    findWorkspace: store.findWorkspace,
    onDecided,

    listLateStates(
      capsuleId: string,
      query: ListQueryOf<typeof lateStatesApi.listLateStates>,
    ): { lateStates: LateState[]; nextCursor?: string } {
      const { runId, phase, ...page } = query;
      const { rows, next } = readPage(cursors, page, {
        binding: `late-states:${jsonDigest({ capsuleId, runId, phase })}`,
        fetch: (after, limit) => store.listPage({ capsuleId, runId, phase, before: beforeSeq(after), limit }),
        positionOf: ({ seq }) => [seq],
      });
      return { lateStates: rows.map(readerOf(capsuleId)), ...next };
    },

    /** Creates the restore Run that adopts a state, or returns the one that was created before. Throws 409. */
    adopt: (id: string, input: Parameters<typeof adopt>[1]) =>
      db.write(() => {
        const requested = adopt(getRow(id), input);
        return { lateState: lateStateOf(getRow(id)), ...requested };
      }),

    /** Deletes the content of a state. A second request changes nothing. Throws 409 when it is being adopted, or was. */
    dismiss: (id: string, actorId: string): LateState =>
      db.write(() => {
        const row = getRow(id);
        if (row.end === 'dismissed') return lateStateOf(row);
        requireUndecided(row);
        if (row.restoreRunId !== null)
          throw failedPrecondition(
            'late_state_ended',
            'A restore of this late state waits or runs. Cancel that Run first.',
            { runId: row.restoreRunId },
          );
        endRow(row, 'dismissed');
        publishLateState(deps, row, { action: 'late_state.dismissed', actorId });
        return lateStateOf(getRow(id));
      }),

    /** Queries by which undecided states are deleted after some days. */
    expiring: {
      findOldestStep: store.findOldestUndecided,
      listUntouchedSince: store.listUndecidedSince,
      expire(id: string): void {
        const row = store.find(id);
        if (!row || row.end !== null || row.restoreRunId !== null) return;
        endRow(row, 'expired');
        publishLateState(deps, row, { action: 'late_state.expired' });
      },
    },
  };
}

/** Ends states, and reports the applies of which no state is undecided any more. */
function createDecisions(store: LateStatesStore) {
  const listeners: ((runId: string) => void)[] = [];
  return {
    endRow({ id, runId }: LateStateRow, end: NonNullable<LateStateRow['end']>): void {
      store.end(id, end);
      if (!store.hasUndecided(runId)) for (const work of listeners) work(runId);
    },
    /** Calls back in the transaction in which the last undecided state of an apply is decided about. */
    onDecided: (work: (runId: string) => void): void => void listeners.push(work),
  };
}

/** Returns the function that reads the records of late states of one Capsule, whose current state it opens at most once. */
function createReader(deps: Pick<Deps, 'vault' | 'runs' | 'capsules' | 'states'>) {
  const { isSuperseded } = createSuccession(deps);

  function createDifferences(capsuleId: string): (row: LateStateRow) => StateDifference | undefined {
    let compare: ReturnType<typeof createStateComparison> | undefined;
    return (row) => {
      if (row.end !== null || row.state === null) return undefined;
      compare ??= createStateComparison(deps.states.openCurrent(capsuleId)?.text);
      return compare(openLateState(deps.vault, { ...row, state: row.state }));
    };
  }

  const recordOf = (row: LateStateRow, differences: StateDifference | undefined): LateState => ({
    id: row.id,
    workspaceId: row.workspaceId,
    capsuleId: row.capsuleId,
    runId: row.runId,
    runnerId: row.machineId,
    phase: phaseOf(row),
    serial: row.serial,
    resourceCount: row.resourceCount,
    arrivedAt: isoTime(row.arrivedAt),
    currentGeneration: deps.capsules.getRow(row.capsuleId).currentStateGeneration,
    isSuperseded: isSuperseded(row),
    ...(phaseOf(row) === 'waiting' && { expiresAt: isoTime(row.arrivedAt + expiryMs) }),
    ...present({
      endedBy: endedByOf(deps.runs.getRecord(row.runId)),
      differences,
      restoreRunId: row.restoreRunId,
    }),
  });

  return (capsuleId: string) => {
    const differencesOf = createDifferences(capsuleId);
    return (row: LateStateRow): LateState => recordOf(row, differencesOf(row));
  };
}
