import type { ActivityRecord, ActivityService } from '#server/domains/activity/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { eventOfAction, eventOfMove, type NotificationEvent } from '#shared/notifications/events';

/** An event of the one table, in the transaction that caused it. */
export type RaisedEvent = {
  event: NotificationEvent;
  workspaceId: string;
  at: number;
  run?: RunRecord;
  capsuleId?: string;
  webhookId?: string;
  /** Account that caused the event; absent for the server. */
  actorId?: string;
};

type Deps = {
  clock: Clock;
  runs: Pick<RunsService, 'onMoving' | 'getRecord'>;
  activity: Pick<ActivityService, 'onRecord'>;
};

/**
 * Derives the events of webhooks and notifications from moves of Runs and rows of the history. A listener is called
 * inside the transaction, so what it writes is stored exactly when the event is.
 */
export function createEventSource({ clock, runs, activity }: Deps) {
  const listeners: ((raised: RaisedEvent) => void)[] = [];
  const raise = (raised: RaisedEvent): void => {
    for (const listener of listeners) listener(raised);
  };

  runs.onMoving((run, from) => {
    const event = eventOfMove(run, from);
    if (event) raise({ event, workspaceId: run.workspaceId, at: clock.now(), ...ofRun(run) });
  });

  function recordsOf({ targetType, targetId, runId }: ActivityRecord): Partial<RaisedEvent> {
    const run = runId === undefined ? {} : ofRun(runs.getRecord(runId));
    if (targetType === 'capsule') return { ...run, capsuleId: targetId };
    return targetType === 'webhook' ? { webhookId: targetId } : run;
  }

  activity.onRecord((record, at) => {
    const event = eventOfAction(record.action, record.metadata);
    const { workspaceId, actorId } = record;
    if (!event || workspaceId === undefined) return;
    const by = actorId === undefined || actorId === 'system' ? {} : { actorId };
    raise({ event, workspaceId, at, ...by, ...recordsOf(record) });
  });

  return { listen: (listener: (raised: RaisedEvent) => void): void => void listeners.push(listener) };
}
export type EventSource = ReturnType<typeof createEventSource>;

const ofRun = (run: RunRecord): Partial<RaisedEvent> => ({
  run,
  ...(run.capsuleId !== null && { capsuleId: run.capsuleId }),
});
