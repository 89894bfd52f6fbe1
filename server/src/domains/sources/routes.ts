import { AppError, notFound } from '#server/kernel/errors';
import { accepted, actorOf, created, type Mount, mayWrite, noContent, ok } from '#server/kernel/http/index';
import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import type { RepositoryInstallUx } from '#shared/manifest/contract';
import { sourcesApi } from '#shared/sources/api';
import type { CompatibilityReport } from '#shared/sources/report';
import { requireQueryPath } from './code-routes.ts';
import type { SourceHooks } from './hooks.ts';
import type { InspectionService } from './inspection.ts';
import type { SourcesService } from './service.ts';
import type { StableVersions } from './stable-versions.ts';

type About = { workspaceId: string; report: CompatibilityReport; installConfigId?: string | undefined };
type Parts = {
  sources: SourcesService;
  inspection: InspectionService;
  hooks: SourceHooks;
  /** Manifest adoption, implemented by a higher layer. */
  adoption: {
    requireFresh: (about: About & { installConfigId: string }) => void;
    adopt: (about: About & { capsuleName: string }) => RepositoryInstallUx;
  };
  stableVersions: StableVersions;
  capsules: { findWorkspace: (capsuleId: string) => string | undefined };
};

export function sourcesRoutes(mount: Mount, parts: Parts): void {
  const { sources, inspection, hooks, stableVersions, adoption, capsules } = parts;
  function requireCapsule(capsuleId: string, workspaceId: string): void {
    const owner = capsules.findWorkspace(capsuleId);
    if (owner === undefined) throw notFound('Capsule');
    if (owner !== workspaceId)
      throw new AppError('forbidden', 'This Capsule belongs to another Workspace. Name one of this Workspace.');
  }
  const readFile = async (
    at: { sourceId: string; sourceSnapshotId: string },
    { path, ...rest }: QueryOf<typeof sourcesApi.getSnapshotFile>,
  ) => {
    nothingLeft(rest);
    requireQueryPath(path);
    return ok(await inspection.readFile(at.sourceId, at.sourceSnapshotId, path));
  };
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
    syncSource: ({ params, body: { intent, ...rest }, caller }) => {
      nothingLeft(rest);
      const actorId = actorOf(caller);
      return () => {
        const { run, isNew } = sources.requestSync(params.sourceId, { intent, actorId });
        return isNew ? created({ run }) : ok({ run });
      };
    },
    receiveSourceHook: ({ params, raw }) => {
      const commit = hooks.receive(params.sourceId, raw);
      return () => accepted(commit());
    },
    listSnapshots: ({ params, query }) => ok(sources.listSnapshots(params.sourceId, query)),
    getInstallModules: async ({ params }) => ok(await inspection.listModules(params.sourceId, params.sourceSnapshotId)),
    getSnapshotFile: ({ params, query }) => readFile(params, query),
    getSnapshotFileAsOperator: ({ params, query }) => readFile(params, query),
    resolveStableVersion: async ({ params: { workspaceId }, body, caller }) =>
      ok(await stableVersions.resolve(body, { workspaceId, actorId: actorOf(caller) })),
    resolveStableVersionAsOperator: async ({ body, caller }) =>
      ok(await stableVersions.resolve(body, { actorId: actorOf(caller) })),
    checkCompatibility: async ({ params: { sourceId }, body, caller }) => {
      const { sourceSnapshotId, modulePath, capsuleId, installConfigId, ...compile } = body;
      const { compileInstallUx, capsuleName, ...rest } = compile;
      nothingLeft(rest);
      const input = { sourceSnapshotId, modulePath, capsuleId };
      const { workspaceId } = sources.getSource(sourceId);
      if (capsuleId !== undefined) requireCapsule(capsuleId, workspaceId);
      const commit = await inspection.check({ ...input, installConfigId, sourceId, actorId: actorOf(caller) });
      return () => {
        const checked = commit();
        const about = { workspaceId, report: checked.report, installConfigId };
        if (installConfigId !== undefined) adoption.requireFresh({ ...about, installConfigId });
        if (!compileInstallUx || capsuleName === undefined) return created(checked);
        return created({ ...checked, repositoryInstallUx: adoption.adopt({ ...about, capsuleName }) });
      };
    },
    getReport: ({ params }) => ok({ report: inspection.getReport(params.reportId) }),
  });
}
