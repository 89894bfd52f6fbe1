import { AppError } from '#server/kernel/errors';
import { type Mount, ok } from '#server/kernel/http/index';
import { nothingLeft } from '#shared/kernel/endpoint';
import { codeLimits } from '#shared/limits';
import { isRelativePath } from '#shared/relative-path';
import { codeApi } from '#shared/sources/code-api';
import type { InspectionService } from './inspection.ts';
import type { SourcesService } from './service.ts';

type Parts = { sources: SourcesService; inspection: InspectionService };

const wrongQuery = (field: string, message: string): AppError =>
  new AppError('invalid_request', message, { details: { field } });

/** Throws unless a query names a path that stays inside the snapshot. */
export function requireQueryPath(path: string): void {
  if (!isRelativePath(path))
    throw wrongQuery('/path', 'The path must be the relative path of a file, such as modules/network/main.tf.');
}

function requireRange({ from, to }: { from: number; to: number }): void {
  if (to < from) throw wrongQuery('/to', 'Choose a `to` that is not before `from`.');
  if (to - from >= codeLimits.linesPerRead)
    throw wrongQuery(
      '/to',
      `At most ${codeLimits.linesPerRead} lines are read at once. Move \`to\` closer to \`from\`.`,
    );
}

export const codeRoutes = (mount: Mount, { sources, inspection }: Parts): void =>
  mount(codeApi, {
    getSnapshot: ({ params: { sourceId, sourceSnapshotId } }) =>
      ok({ snapshot: sources.getSnapshot(sourceId, sourceSnapshotId) }),
    listCommitSubjects: ({ params, query }) => ok(sources.listCommitSubjects(params.workspaceId, query)),
    compareSnapshots: async ({ params: { sourceId, sourceSnapshotId: to }, query: { from, ...rest } }) => {
      nothingLeft(rest);
      return ok({ comparison: await inspection.compare(sourceId, { from, to }) });
    },
    getSnapshotLines: async ({ params: { sourceId, sourceSnapshotId }, query: { path, from, to, ...rest } }) => {
      nothingLeft(rest);
      requireQueryPath(path);
      requireRange({ from, to });
      return ok(await inspection.readLines(sourceId, sourceSnapshotId, { path, from, to }));
    },
    getSnapshotReadme: async ({ params: { sourceId, sourceSnapshotId }, query: { path, ...rest } }) => {
      nothingLeft(rest);
      requireQueryPath(path);
      return ok(await inspection.readReadme(sourceId, sourceSnapshotId, path));
    },
  });
