import type { publicApi } from '#shared/api';
import type { Client } from '#shared/kernel/client';
import { limits } from '#shared/limits';
import type { Run, RunRow } from '#shared/runs/contract';
import { cut, oneLine } from './text.ts';

type Api = Pick<Client<typeof publicApi>, 'listCommitSubjects'>;
const longest = 60;

/** Returns the subject of a commit in one line, marked as what only the commit itself says. */
export function subjectText(subject: string | undefined): string | undefined {
  if (subject === undefined || subject === '') return undefined;
  return `${cut(oneLine(subject), longest)} (as the commit says)`;
}

/** Reads the subjects of the commits of Runs, by the id of their snapshot, with one request for each hundred. */
export async function readSubjects(
  api: Api,
  workspaceId: string,
  runs: readonly (Run | RunRow)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(runs.flatMap(({ sourceSnapshotId }) => (sourceSnapshotId ? [sourceSnapshotId] : [])))];
  const subjects = new Map<string, string>();
  for (let at = 0; at < ids.length; at += limits.pageMax) {
    const query = { sourceSnapshotIds: ids.slice(at, at + limits.pageMax).join(',') };
    const { body } = await api.listCommitSubjects({ params: { workspaceId }, query });
    for (const row of body.subjects) subjects.set(row.sourceSnapshotId, row.subject);
  }
  return subjects;
}
