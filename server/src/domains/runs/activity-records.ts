import type { ActivityService } from '#server/domains/activity/index';
import type { ActivityAction } from '#shared/activity/actions';
import type { RunRecord } from './run-record.ts';

/** Writes the history row of an event of a Run; without an actor the system is recorded. */
export const createRunRecorder =
  (activity: Pick<ActivityService, 'record'>) =>
  (
    run: Pick<RunRecord, 'id' | 'workspaceId'> & { capsuleId?: string | null | undefined },
    action: ActivityAction,
    { metadata = {}, ...more }: { actorId?: string; metadata?: Record<string, unknown> } = {},
  ): void =>
    activity.record({
      workspaceId: run.workspaceId,
      action,
      targetType: 'run',
      targetId: run.id,
      runId: run.id,
      // The history of a Capsule is queried by it.
      metadata: { ...(run.capsuleId && { capsuleId: run.capsuleId }), ...metadata },
      ...more,
    });
