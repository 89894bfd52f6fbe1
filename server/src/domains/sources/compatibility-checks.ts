import type { ActivityService } from '#server/domains/activity/index';
import { auditItem, type RunsService } from '#server/domains/runs/index';
import type { ModuleReport } from '#server/drivers/scan/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { BodyOf } from '#shared/kernel/endpoint';
import type { Run } from '#shared/runs/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import type { sourcesApi } from '#shared/sources/api';
import type { CompatibilityReport } from '#shared/sources/report';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { chooseModule } from './module-choice.ts';
import { judged } from './module-policy.ts';
import { requirementsOf } from './requirements.ts';
import type { SourcesService } from './service.ts';
import type { SnapshotScans, ToolOfScan } from './snapshot-scans.ts';
import type { ReportRow, SnapshotRow, SourcesStore } from './store.ts';

/** Facts about the chosen module that generated files depend on. */
export type RootEvidence = Pick<
  ModuleReport,
  'ownProviderBlocks' | 'encryptionTargets' | 'encryptionDefault' | 'programs'
>;
/** Installation for which a module is inspected. */
export type PolicyQuery = {
  workspaceId: string;
  capsuleId?: string | undefined;
  installConfigId?: string | undefined;
};

/**
 * The report is stored for the Capsule. The policy of the InstallConfig applies in addition to that of the Workspace.
 */
export type CheckRequest = { sourceId: string; actorId: string } & Pick<
  BodyOf<typeof sourcesApi.checkCompatibility>,
  'sourceSnapshotId' | 'modulePath' | 'capsuleId' | 'installConfigId'
>;

export type CompatibilityPorts = {
  db: Db;
  clock: Clock;
  store: Pick<SourcesStore, 'findLaneHead' | 'findReport' | 'findReportWorkspace' | 'insertReport'>;
  runs: RunsService;
  sources: Pick<SourcesService, 'getSource' | 'getSnapshotRow'>;
  activity: Pick<ActivityService, 'record'>;
  /**
   * Returns the blocked resolutions of these providers. Injected, because recipes and Connections belong to higher
   * layers.
   */
  findUnbound: (workspaceId: string, requirements: readonly ProviderRequirement[]) => ProviderResolution[];
  /** Returns the policies that apply to a module: the Workspace's and, when one is named, the configuration's. */
  findPolicies: (at: PolicyQuery) => readonly PolicyConfig[];
  /** Addresses of the providers that the operator's own mirror holds. */
  listMirrored: () => readonly string[];
};

/** Checks whether a module can be installed, and writes the result as a report with a Run of its own. */
export function createCompatibilityChecks(deps: CompatibilityPorts & { scans: SnapshotScans }) {
  const { db, store, sources, scans } = deps;
  const reports = createReports(deps);
  const commit = createReportCommit({ ...deps, reports });

  function newestOfDefaultLane(sourceId: string): SnapshotRow {
    const source = sources.getSource(sourceId);
    const head = store.findLaneHead(sourceId, { ref: source.defaultRef, path: source.defaultPath });
    if (!head) throw failedPrecondition('source_sync_required', 'This Source was never synced. Sync it first.');
    return head;
  }

  /** Scans and chooses a module; the returned function runs in the caller's transaction and writes report and Run. */
  async function check(request: CheckRequest): Promise<() => { report: CompatibilityReport; run: Run }> {
    const snapshot =
      request.sourceSnapshotId === undefined
        ? newestOfDefaultLane(request.sourceId)
        : sources.getSnapshotRow(request.sourceId, request.sourceSnapshotId);
    const { result, tool } = await scans.ensureScanFor(snapshot, request.modulePath);
    const chosenModule = chooseModule(result, request.modulePath);
    return () =>
      db.write(() => {
        const policies = deps.findPolicies({ workspaceId: snapshot.workspaceId, ...request });
        const module = judged(chosenModule, { policies, isMirrored: (source) => deps.listMirrored().includes(source) });
        return commit({ snapshot, tool, module, request });
      });
  }

  return { ...reports, check };
}

type Reports = ReturnType<typeof createReports>;

function createReports({ store, findUnbound }: Pick<CompatibilityPorts, 'store' | 'findUnbound'>) {
  /**
   * Adds the module's Connection requirements. They depend on the current recipes and policies, so they are not stored.
   */
  function shown(row: ReportRow): CompatibilityReport {
    const providerRequirements = requirementsOf(row);
    const providerResolutions = findUnbound(row.workspaceId, providerRequirements);
    return { ...row.report, providerRequirements, providerResolutions };
  }

  function getReportRow(id: string): ReportRow {
    const row = store.findReport(id);
    if (!row) throw notFound('compatibility report');
    return row;
  }

  return {
    getReportRow,
    getReport: (id: string): CompatibilityReport => shown(getReportRow(id)),
    findReportWorkspace: store.findReportWorkspace,
  };
}

type CheckedModule = { snapshot: SnapshotRow; tool: ToolOfScan; module: ModuleReport; request: CheckRequest };

function createReportCommit({ clock, store, runs, activity, reports }: CompatibilityPorts & { reports: Reports }) {
  return ({ snapshot, tool, module, request }: CheckedModule): { report: CompatibilityReport; run: Run } => {
    const { actorId, capsuleId } = request;
    const id = newId('report');
    const runId = newId('compatibility');
    const now = clock.now();
    const report = reportOf(module, {
      id,
      sourceId: snapshot.sourceId,
      sourceSnapshotId: snapshot.id,
      ...(capsuleId !== undefined && { capsuleId }),
      createdAt: isoTime(now),
    });
    const { ownProviderBlocks, encryptionTargets, encryptionDefault, programs } = module;
    const facts = {
      subject: { kind: 'source' as const, id: snapshot.sourceId },
      ref: snapshot.ref,
      resolvedCommit: snapshot.resolvedCommit,
      sourceSnapshotId: snapshot.id,
      compatibilityReportId: id,
      toolName: tool.name,
      toolVersion: tool.version,
    };
    const scope = { workspaceId: snapshot.workspaceId, sourceId: snapshot.sourceId };
    const item = (step: string) => auditItem(`compatibility_check.${step}`, now, { actor: actorId });
    runs.create({ id: runId, ...scope, type: 'compatibility_check', createdBy: actorId, facts }, [item('requested')]);
    runs.move(runId, 'claim', { set: { startedAt: now }, items: [item('started')] });
    runs.move(runId, 'finish', { items: [item('completed')] });
    store.insertReport({
      id,
      ...scope,
      snapshotId: snapshot.id,
      modulePath: module.modulePath,
      tool: tool.name,
      runId,
      report,
      rootView: {
        ownProviderBlocks,
        encryptionTargets,
        encryptionDefault,
        ...(programs && { programs }),
      } satisfies RootEvidence,
    });
    activity.record({
      workspaceId: snapshot.workspaceId,
      actorId,
      action: 'source.compatibility_checked',
      targetType: 'source',
      targetId: snapshot.sourceId,
      runId,
      metadata: { compatibilityReportId: id, level: report.level },
    });
    return { report: reports.getReport(id), run: runs.getRun(runId) };
  };
}

function reportOf(
  module: ModuleReport,
  ids: { id: string; sourceId: string; sourceSnapshotId: string; capsuleId?: string; createdAt: string },
): CompatibilityReport {
  const {
    ownProviderBlocks: _blocks,
    encryptionTargets: _targets,
    encryptionDefault: _default,
    programs: _programs,
    configurationDigest: _digest,
    ...shown
  } = module;
  return { ...ids, ...shown };
}
