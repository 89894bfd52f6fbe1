import { posix } from 'node:path';
import type { ActivityService } from '#server/domains/activity/index';
import { auditItem, type RunsService } from '#server/domains/runs/index';
import { archivePath } from '#server/drivers/archive/index';
import {
  type ArchiveFault,
  type ModuleReport,
  type Scan,
  type ScanResult,
  scanKeyOf,
} from '#server/drivers/scan/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { digestOf } from '#server/kernel/digest';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { limits } from '#shared/limits';
import { isRelativePath } from '#shared/relative-path';
import type { Run } from '#shared/runs/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import type { InstallModules } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { manifestPath } from '#shared/vendor';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { chooseModule } from './module-choice.ts';
import { judged } from './module-policy.ts';
import { requirementsOf } from './requirements.ts';
import type { SourcesService } from './service.ts';
import type { ReportRow, SnapshotRow, SourcesStore } from './store.ts';

type Scanned = { result: ScanResult; tool: ToolOfScan };
export type ToolOfScan = { name: 'tofu' | 'terraform'; version: string };
export type InspectionService = ReturnType<typeof createInspection>;
/** Facts about the chosen module that generated files depend on. */
export type RootEvidence = Pick<
  ModuleReport,
  'ownProviderBlocks' | 'encryptionTargets' | 'encryptionDefault' | 'programs'
>;

type Deps = {
  db: Db;
  clock: Clock;
  store: SourcesStore;
  scan: Scan;
  runs: RunsService;
  sources: Pick<SourcesService, 'getSource' | 'getSnapshotRow'>;
  activity: Pick<ActivityService, 'record'>;
  archivesDir: string;
  findTool: () => Promise<ToolOfScan>;
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
/** Installation for which a module is inspected. */
export type PolicyQuery = {
  workspaceId: string;
  capsuleId?: string | undefined;
  installConfigId?: string | undefined;
};

export type CheckRequest = {
  sourceId: string;
  sourceSnapshotId?: string | undefined;
  modulePath?: string | undefined;
  /** Capsule that the report is for; stored in the report. */
  capsuleId?: string | undefined;
  /** InstallConfig whose policy applies in addition to the Workspace's. */
  installConfigId?: string | undefined;
  actorId: string;
};

/** Returns a repository path relative to a Source path; none when it lies elsewhere. */
function withinScope(scope: string, path: string): string[] {
  if (scope === '.' || path === scope) return [path === scope ? '.' : path];
  return path.startsWith(`${scope}/`) ? [path.slice(scope.length + 1)] : [];
}

/** Inspects snapshots without running any tool: modules, compatibility, single files. */
export function createInspection(deps: Deps) {
  const { db, clock, store, scan, runs, sources, activity, archivesDir, findTool } = deps;
  const archivePathOf = ({ archiveDigest }: SnapshotRow) => archivePath(archivesDir, archiveDigest);

  /** Returns the stored scan, or a fresh one when the tool or the scan version has changed since. */
  async function ensureScan(snapshot: SnapshotRow, onlyPath?: string): Promise<Scanned> {
    const tool = await findTool();
    const key = scanKeyOf(tool, onlyPath);
    const stored = store.findScan(snapshot.id, key) as ScanResult | undefined;
    if (stored) return { result: stored, tool };
    const result = await scan.scan({
      archivePath: archivePathOf(snapshot),
      archiveDigest: snapshot.archiveDigest,
      sourceSnapshotId: snapshot.id,
      scopePath: snapshot.path,
      toolName: tool.name,
      toolVersion: tool.version,
      leftOut: snapshot.leftOut,
      namedPaths: store.findManifestPaths(snapshot.id).flatMap((path) => withinScope(snapshot.path, path)),
      ...(onlyPath !== undefined && { onlyPath }),
    });
    if (result.archiveFault) throw unreadable(result.archiveFault);
    const isEvidence = onlyPath === undefined || result.reports.length > 0;
    if (result.failure === undefined && isEvidence)
      db.write(() => store.saveScan({ snapshotId: snapshot.id, tool: key, result, createdAt: clock.now() }));
    return { result, tool };
  }

  /** Returns the scan that has the named module: the list, or a scan of that folder when the list leaves it out. */
  async function ensureScanFor(snapshot: SnapshotRow, modulePath: string | undefined): Promise<Scanned> {
    const listed = await ensureScan(snapshot);
    const isListed = listed.result.reports.some((report) => report.modulePath === modulePath);
    const isNamed = modulePath !== undefined && isRelativePath(modulePath);
    return isNamed && !isListed ? ensureScan(snapshot, modulePath) : listed;
  }

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
    const { result, tool } = await ensureScanFor(snapshot, request.modulePath);
    const chosenModule = chooseModule(result, request.modulePath);
    return () =>
      db.write(() => {
        const policies = deps.findPolicies({ workspaceId: snapshot.workspaceId, ...request });
        const module = judged(chosenModule, { policies, isMirrored: (source) => deps.listMirrored().includes(source) });
        return commit({ snapshot, tool, module, request });
      });
  }

  function commit(part: { snapshot: SnapshotRow; tool: ToolOfScan; module: ModuleReport; request: CheckRequest }) {
    const { snapshot, tool, module } = part;
    const { actorId, capsuleId } = part.request;
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
    return { report: shown(getReportRow(id)), run: runs.getRun(runId) };
  }

  /**
   * Adds the module's Connection requirements. They depend on the current recipes and policies, so they are not stored.
   */
  function shown(row: ReportRow): CompatibilityReport {
    const providerRequirements = requirementsOf(row);
    const providerResolutions = deps.findUnbound(row.workspaceId, providerRequirements);
    return { ...row.report, providerRequirements, providerResolutions };
  }

  function getReportRow(id: string): ReportRow {
    const row = store.findReport(id);
    if (!row) throw notFound('compatibility report');
    return row;
  }

  return {
    ensureScan,
    check,
    getReportRow,
    getReport: (id: string): CompatibilityReport => shown(getReportRow(id)),
    findReportWorkspace: (id: string): string | undefined => store.findReport(id)?.workspaceId,
    findNewestReport: store.findNewestReport,

    async listModules(sourceId: string, snapshotId: string): Promise<InstallModules> {
      return (await ensureScan(sources.getSnapshotRow(sourceId, snapshotId))).result.discovery;
    },

    /** Returns the list including the named module, even when the general list leaves it out. */
    async findModules(sourceId: string, snapshotId: string, modulePath: string | undefined): Promise<InstallModules> {
      return (await ensureScanFor(sources.getSnapshotRow(sourceId, snapshotId), modulePath)).result.discovery;
    },

    async readFile(sourceId: string, snapshotId: string, file: string) {
      const snapshot = sources.getSnapshotRow(sourceId, snapshotId);
      const field = { field: '/path' };
      if (posix.join(snapshot.path, file) === manifestPath)
        throw invalidArgument('snapshot_file_reserved', 'The repository manifest is not readable here.', field);
      const entry = await scan.readFile({ path: archivePathOf(snapshot), digest: snapshot.archiveDigest, name: file });
      if (entry.kind === 'failed') throw unreadable(entry.archiveFault, entry.failure);
      if (entry.kind !== 'file') {
        const isLeftOut = snapshot.leftOut.some(({ path }) => path === file);
        if (isLeftOut || entry.kind === 'folder') {
          throw invalidArgument(
            'snapshot_file_not_regular',
            'This is a folder, a link or a submodule, not a regular file.',
            field,
          );
        }
        throw notFound('file in this snapshot');
      }
      const { bytes } = entry;
      if (bytes.length > limits.snapshotFileBytes)
        throw invalidArgument('snapshot_file_too_large', 'The file is larger than 131,072 bytes.', field);
      return {
        sourceSnapshotId: snapshotId,
        path: file,
        text: decode(bytes),
        digest: digestOf(bytes),
        sizeBytes: bytes.length,
      };
    },
  };
}

/**
 * Creates the error for missing files. A snapshot record is kept forever; its files only as long as something may need
 * them.
 */
function unreadable(fault: ArchiveFault | undefined, failure = ''): Error {
  if (fault === undefined) return new Error(`a file of a snapshot could not be read: ${failure}`);
  const what =
    fault === 'archive_missing'
      ? 'The files of this snapshot were removed.'
      : 'The files of this snapshot are not the ones that were recorded, so they are not used.';
  return failedPrecondition('source_sync_required', `${what} Sync the Source again to bring them back.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidArgument('snapshot_file_invalid_utf8', 'The file is not UTF-8 text.', { field: '/path' });
  }
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
