import { AppError } from '#server/kernel/errors';
import { accepted, actorOf, created, type Mount, mayWrite, noContent, ok } from '#server/kernel/http/index';
import { isRelativePath } from '#shared/relative-path';
import { sourcesApi } from '#shared/sources/api';
import type { SourceHooks } from './hooks.ts';
import type { InspectionService } from './inspection.ts';
import type { SourcesService } from './service.ts';

type Parts = { sources: SourcesService; inspection: InspectionService; hooks: SourceHooks };

export const sourcesRoutes = (mount: Mount, { sources, inspection, hooks }: Parts): void =>
  mount(sourcesApi, {
    listSources: ({ query: { workspaceId, ...query } }) => ok(sources.listSources(workspaceId, query)),
    createSource: ({ body, caller }) => {
      if (body.authConnectionId !== undefined && !mayWrite(caller))
        throw new AppError('forbidden', 'Your role does not let you use Connections. Ask an owner or admin.');
      return () => created(sources.create(body, actorOf(caller)));
    },
    getSource: ({ params }) => ok({ source: sources.getSource(params.sourceId) }),
    updateSource:
      ({ params, body, caller }) =>
      () =>
        ok(sources.update(params.sourceId, body, actorOf(caller))),
    deleteSource:
      ({ params, caller }) =>
      () => {
        sources.remove(params.sourceId, actorOf(caller));
        return noContent();
      },
    syncSource:
      ({ params, body, caller }) =>
      () => {
        const { run, made } = sources.requestSync(params.sourceId, {
          intent: body.intent ?? 'observe',
          actorId: actorOf(caller),
        });
        return made ? created({ run }) : ok({ run });
      },
    receiveSourceHook: ({ params, raw }) => {
      const deed = hooks.receive(params.sourceId, raw);
      return () => accepted(deed());
    },
    listSnapshots: ({ params, query }) => ok(sources.listSnapshots(params.sourceId, query)),
    getInstallModules: async ({ params }) => ok(await inspection.listModules(params.sourceId, params.sourceSnapshotId)),
    getSnapshotFile: async ({ params, query }) => {
      if (!isRelativePath(query.path))
        throw new AppError('invalid_request', 'The path is not a relative path of a file.', {
          details: { field: '/path' },
        });
      return ok(await inspection.readFile(params.sourceId, params.sourceSnapshotId, query.path));
    },
    checkCompatibility: async ({ params, body, caller }) => {
      const commit = await inspection.check({ sourceId: params.sourceId, ...body, actorId: actorOf(caller) });
      return () => created(commit());
    },
    getReport: ({ params }) => ok({ report: inspection.getReport(params.reportId) }),
  });
