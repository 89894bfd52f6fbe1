import type { ActivityAction } from '../activity/actions.ts';
import { isApplyType, isPlanType, type RunStatus, type RunType } from '../runs/contract.ts';

/** Meaning of a move of a Run to a person; other moves are not reported. */
export type RunMoveKind = 'waits' | 'succeeded' | 'failed' | 'cancelled' | 'expired';

/** Records that an event is derived from, in the transaction that writes them. */
type Origin = {
  /** Move of a Run of a Capsule. */
  readonly move?: RunMoveKind;
  /** Rows of the activity history. */
  readonly actions?: readonly ActivityAction[];
};

type EventRow = {
  /** Record that the event is about; its links lead there. */
  readonly about: 'run' | 'capsule' | 'webhook' | 'backup_schedule';
  readonly from: Origin;
};

/**
 * Events that webhooks, mail and the notifications of the browser carry. This table is the only list of them; a record
 * belongs to at most one event.
 */
export const notificationEvents = {
  /** A plan waits for an approval or an apply. */
  'run.waiting': { about: 'run', from: { move: 'waits', actions: ['run.left_to_person'] } },
  /** An apply has ended well, or a plan found nothing to change. */
  'run.succeeded': { about: 'run', from: { move: 'succeeded' } },
  'run.failed': { about: 'run', from: { move: 'failed' } },
  'run.cancelled': { about: 'run', from: { move: 'cancelled' } },
  'run.expired': { about: 'run', from: { move: 'expired' } },
  /** A person asks those who may approve a plan to review it. */
  'approval.requested': { about: 'run', from: { actions: ['run.approval_requested'] } },
  /** A machine brought the state of an apply that was ended without it; a person adopts or dismisses it. */
  'late_state.arrived': { about: 'run', from: { actions: ['late_state.arrived'] } },
  'capsule.update_available': { about: 'capsule', from: { actions: ['capsule.stale'] } },
  'capsule.auto_update_failed': {
    about: 'capsule',
    from: { actions: ['capsule.auto_update_failed', 'capsule.auto_update_apply_failed'] },
  },
  'capsule.drift_detected': { about: 'capsule', from: { actions: ['capsule.drift_detected'] } },
  'capsule.held': { about: 'capsule', from: { actions: ['capsule.held'] } },
  'capsule.hold_released': { about: 'capsule', from: { actions: ['capsule.hold_released'] } },
  /** A webhook was disabled because its receiver failed for a day. */
  'webhook.disabled': { about: 'webhook', from: { actions: ['webhook.disabled'] } },
  /** A scheduled backup failed for the first time since the last one that succeeded. */
  'backup_schedule.failed': { about: 'backup_schedule', from: { actions: ['backup_schedule.failed'] } },
  /** No scheduled backup was stored at its target for a day and a half, because it failed or the server was off. */
  'backup_schedule.overdue': { about: 'backup_schedule', from: { actions: ['backup_schedule.overdue'] } },
  /** A scheduled backup succeeded after it failed or was overdue. */
  'backup_schedule.recovered': { about: 'backup_schedule', from: { actions: ['backup_schedule.recovered'] } },
} as const satisfies Record<string, EventRow>;

export type NotificationEvent = keyof typeof notificationEvents;
export const notificationEventNames = Object.keys(notificationEvents) as [NotificationEvent, ...NotificationEvent[]];

/** `metadata.reason` of `capsule.stale` after a restore. */
export const stateRestored = 'state_restored';

const rows = Object.entries(notificationEvents) as [NotificationEvent, EventRow][];
const eventsByAction = new Map(
  rows.flatMap(([name, { from }]) => (from.actions ?? []).map((action) => [action, name])),
);
const eventsByMove = new Map(rows.flatMap(([name, { from }]) => (from.move ? [[from.move, name] as const] : [])));

/** Returns the event of a row of the activity history. A restored state makes a Capsule stale, but is not an update. */
export const eventOfAction = (
  action: ActivityAction,
  metadata: Readonly<Record<string, unknown>> = {},
): NotificationEvent | undefined => (metadata['reason'] === stateRestored ? undefined : eventsByAction.get(action));

type MovedRun = {
  readonly type: RunType;
  readonly status: RunStatus;
  readonly createdBy: string;
  readonly facts: { readonly hasChanges?: boolean | undefined };
};

/** Returns the event of a Run that has just moved from a status. */
export function eventOfMove(run: MovedRun, from: RunStatus | undefined): NotificationEvent | undefined {
  const kind = kindOf(run, from);
  return kind && eventsByMove.get(kind);
}

function kindOf(run: MovedRun, from: RunStatus | undefined): RunMoveKind | undefined {
  if (!isPlanType(run.type) && !isApplyType(run.type)) return undefined;
  if (run.status === 'waiting_approval') return 'waits';
  if (run.status === 'succeeded') return from === 'running' ? kindOfSuccess(run) : undefined;
  return run.status === 'queued' || run.status === 'running' ? undefined : run.status;
}

function kindOfSuccess({ type, createdBy, facts }: MovedRun): RunMoveKind | undefined {
  // What a drift check has found is an event of its Capsule.
  if (type === 'drift_check') return undefined;
  if (isApplyType(type) || facts.hasChanges === false) return 'succeeded';
  // An automatic update applies its plan, or leaves it to a person in a record of its own.
  return createdBy === 'system' ? undefined : 'waits';
}
