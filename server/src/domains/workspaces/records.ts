import { isoTime } from '#server/kernel/clock';
import type { Project, Workspace } from '#shared/workspaces/contract';
import type { ProjectRow, WorkspaceRow } from './store.ts';

const stampsOf = (row: { createdAt: number; updatedAt: number }) => ({
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

/** Checks are off until a person schedules them. */
export const driftScheduleOf = ({ driftSchedule }: Pick<WorkspaceRow, 'driftSchedule'>): string =>
  driftSchedule ?? 'off';

export const workspaceOf = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  handle: row.handle,
  displayName: row.displayName,
  type: row.type,
  ownerUserId: row.ownerUserId,
  ...(row.archivedAt !== null && { archivedAt: isoTime(row.archivedAt) }),
  ...(row.policy && { policy: row.policy }),
  driftSchedule: driftScheduleOf(row),
  ...stampsOf(row),
});

export const projectOf = ({ id, workspaceId, name, slug, projectJson, ...row }: ProjectRow): Project => ({
  id,
  workspaceId,
  name,
  slug,
  projectJson,
  ...stampsOf(row),
});
