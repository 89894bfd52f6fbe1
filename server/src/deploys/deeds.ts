import type { ActivityService } from '#server/activity/index';
import type { RunRecord } from '#server/runs/index';

/** Writes the history row of something that happened to a Run; without an actor it was the system. */
export const createRunDeed =
  (activity: Pick<ActivityService, 'record'>) =>
  (
    run: Pick<RunRecord, 'id' | 'workspaceId'>,
    action: string,
    more: { actorId?: string; metadata?: Record<string, unknown> } = {},
  ): void =>
    activity.record({
      workspaceId: run.workspaceId,
      action,
      targetType: 'run',
      targetId: run.id,
      runId: run.id,
      ...more,
    });
