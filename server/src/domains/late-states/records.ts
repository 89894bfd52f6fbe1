import type { ActivityService } from '#server/domains/activity/index';
import type { Outbox } from '#server/kernel/outbox';
import type { LateStateRow } from './store.ts';

/** Binds a sealed state to its row. */
export const sealContextOf = ({ id, workspaceId }: Pick<LateStateRow, 'id' | 'workspaceId'>) => ({
  table: 'late_states',
  row: id,
  column: 'state',
  workspaceId,
});

type Ports = { activity: Pick<ActivityService, 'record'>; outbox: Pick<Outbox, 'push'> };
type Recorded = Pick<Parameters<ActivityService['record']>[0], 'action' | 'actorId' | 'metadata'>;

/** Records in the history what happened to a late state, and updates open pages of its Run and Capsule. */
export function publishLateState(
  { activity, outbox }: Ports,
  { id, workspaceId, capsuleId, runId }: Pick<LateStateRow, 'id' | 'workspaceId' | 'capsuleId' | 'runId'>,
  recorded: Recorded,
): void {
  const metadata = { capsuleId, ...recorded.metadata };
  activity.record({ workspaceId, targetType: 'late_state', targetId: id, runId, ...recorded, metadata });
  outbox.push({ workspaceId, kind: 'late_state', recordId: runId });
  outbox.push({ workspaceId, kind: 'capsule', recordId: capsuleId });
}
