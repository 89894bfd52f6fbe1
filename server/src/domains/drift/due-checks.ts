import type { ServerTool } from '#server/domains/execution/index';
import type { PlansService } from '#server/domains/plans/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import { hoursOf } from '#shared/drift/schedule';
import { driftLimits } from '#shared/limits';
import { localPool } from '#shared/runs/contract';
import { nextSlot, slotFrom } from './slots.ts';
import type { DriftStore, ScheduleRow, ScheduleScope } from './store.ts';

export type DueCheckPorts = {
  db: Db;
  clock: Clock;
  log: Log;
  store: DriftStore;
  plans: Pick<PlansService, 'createPlan' | 'createRefused'>;
  /** Returns the pool of the next Run of a Capsule. */
  poolOfNext: (capsuleId: string) => string;
  /** Maximum number of scheduled checks that are queued or running. */
  concurrency: number;
};
export type DueChecks = ReturnType<typeof createDueChecks>;

const actorId = 'system';
const type = 'drift_check' as const;

/** Keeps the times of the next checks, and queues the checks that are due. */
export function createDueChecks({ db, clock, log, store, plans, poolOfNext, concurrency }: DueCheckPorts) {
  /** Returns the change of one row that its schedule requires, if any. */
  function changeOf({ capsuleId, schedule, row }: ReturnType<DriftStore['listSchedules']>[number]) {
    const hours = hoursOf(schedule);
    if (hours === undefined) return row ? () => store.deleteSchedule(capsuleId) : undefined;
    const periodMs = hours * 3_600_000;
    if (row?.periodMs === periodMs) return undefined;
    const dueAt = slotFrom(capsuleId, periodMs, clock.now());
    if (!row) return () => store.insertSchedule({ capsuleId, periodMs, dueAt, isRefused: false });
    // Another interval never postpones a check that is expected sooner.
    return () => store.updateSchedule(capsuleId, { periodMs, dueAt: Math.min(row.dueAt, dueAt) });
  }

  /** Queues a check and sets the time of the next one in one transaction, so that a crash neither loses nor repeats it. */
  function start({ capsuleId, periodMs }: ScheduleRow, tool: ServerTool): void {
    db.write(() => {
      plans.createPlan(capsuleId, { actorId, tool, type });
      store.updateSchedule(capsuleId, { dueAt: nextSlot(capsuleId, periodMs, clock.now()), isRefused: false });
    });
  }

  /** The first refusal is a failed Run, which names the reason; further attempts are only postponed. */
  function refuse({ capsuleId, isRefused }: ScheduleRow, tool: ServerTool, error: unknown): void {
    if (!(error instanceof AppError)) log.error(faultFields(error), 'a scheduled drift check could not be queued');
    db.write(() => {
      const refusal = error instanceof AppError && !isRefused;
      if (refusal) plans.createRefused(capsuleId, { actorId, tool, type }, error);
      store.updateSchedule(capsuleId, { dueAt: clock.now() + driftLimits.retryMs, isRefused: isRefused || refusal });
    });
  }

  /** A check in `local` waits for a tool without a failed Run. */
  const lacksTool = ({ capsuleId }: ScheduleRow, tool: ServerTool): boolean =>
    'unavailableReason' in tool && poolOfNext(capsuleId) === localPool;
  const postpone = ({ capsuleId, isRefused }: ScheduleRow): void =>
    store.updateSchedule(capsuleId, { dueAt: clock.now() + driftLimits.retryMs, isRefused });

  return {
    hasDue: (): boolean => store.countChecks() < concurrency && store.findDue(clock.now()) !== undefined,

    /** Updates the rows of Capsules whose schedule, Workspace or status may have changed. */
    reconcile(scope: ScheduleScope): void {
      const changes = store.listSchedules(scope).flatMap((one) => changeOf(one) ?? []);
      if (changes.length === 0) return;
      db.write(() => {
        for (const change of changes) change();
      });
    },

    /** Brings times nearer that were set before the clock was set back. */
    correct(): void {
      const now = clock.now();
      for (const { capsuleId, periodMs } of store.listBeyond(now))
        store.updateSchedule(capsuleId, { dueAt: nextSlot(capsuleId, periodMs, now) });
    },

    /** Queues due checks until as many as allowed have not ended. */
    startDue(tool: ServerTool): void {
      while (store.countChecks() < concurrency) {
        const due = store.findDue(clock.now());
        if (!due) return;
        try {
          if (lacksTool(due, tool)) postpone(due);
          else start(due, tool);
        } catch (error) {
          if (isLedgerFault(error)) throw error;
          refuse(due, tool, error);
        }
      }
    },

    /** Returns when the next schedule becomes due; undefined without schedules. Those that are due wait for an event. */
    findNext: (): number | undefined =>
      store.hasSchedules() ? (store.findNextDue(clock.now()) ?? Number.POSITIVE_INFINITY) : undefined,
  };
}
