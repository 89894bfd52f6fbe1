import { isoTime } from '#server/kernel/clock';
import type { Output, StateVersion } from '#shared/state-versions/contract';
import type { OutputRow, StateHead } from './store.ts';

export const stateVersionOf = (row: StateHead): StateVersion => ({
  id: row.id,
  workspaceId: row.workspaceId,
  capsuleId: row.capsuleId,
  environment: row.environment,
  generation: row.generation,
  createdByRunId: row.createdByRunId,
  ...(row.sourceSnapshotId !== null && { sourceSnapshotId: row.sourceSnapshotId }),
  resourceCount: row.resourceCount,
  ...(row.partial && { partial: true as const }),
  createdAt: isoTime(row.createdAt),
});

export const outputOf = ({ stateVersionId: _, createdAt, ...row }: OutputRow): Output =>
  ({ ...row, createdAt: isoTime(createdAt) }) as unknown as Output;
