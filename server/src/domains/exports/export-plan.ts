import path from 'node:path';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { ConnectionsService } from '#server/domains/connections/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import { type Folders, rootViewOf } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import { type PlansStore, type RunInputs, readConfigInputs, readRunInputs } from '#server/domains/plans/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import { type CapsuleRunInput, isCapsuleRun, type RunsService } from '#server/domains/runs/index';
import type { InspectionService, SourcesService } from '#server/domains/sources/index';
import type { StateHead, StateVersionsService } from '#server/domains/state-versions/index';
import { archivePath } from '#server/drivers/archive/index';
import type { RootView } from '#server/drivers/tofu/index';
import { failedPrecondition } from '#server/kernel/errors';

export type ExportPorts = {
  folders: Folders;
  runs: Pick<RunsService, 'findRecord'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'findCurrentHead' | 'openVersion'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  inspection: Pick<InspectionService, 'getReportRow' | 'findReport'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'listSnapshotValues' | 'listInjectedVariables'>;
  bindings: Pick<ProviderBindingsService, 'listBindings'>;
  connections: Pick<ConnectionsService, 'get'>;
  plansStore: Pick<PlansStore, 'findSeal' | 'findNewestSeal'>;
};

/** Everything that an export consists of, collected from the ledger. */
export type ExportPlan = {
  capsule: CapsuleRow;
  head: StateHead | undefined;
  module: { url: string; ref: string; commit: string; path: string; modulePath: string };
  archive: { path: string; digest: string };
  /** Folder in which the tool ran, with the files that applies have left. */
  treeDir: string;
  inputs: RunInputs;
  /** Variables that Ground Control sets when it plans, and whose values are not exported. */
  injectedNames: readonly string[];
  lock: string | null;
  /** Provider configurations that the module expects to receive. */
  view: RootView;
  hasBackend: boolean;
  /** Bound Connections, by the local name of their provider. */
  credentials: readonly { provider: string; connection: string }[];
};

/**
 * Collects what was applied last, so that the exported module and variables belong to the state; before the first apply,
 * what the Capsule is configured with.
 */
export function planExport(capsuleId: string, ports: ExportPorts): ExportPlan {
  const capsule = ports.capsules.getRow(capsuleId);
  const head = ports.states.findCurrentHead(capsuleId);
  const run = head && ports.runs.findRecord(head.createdByRunId);
  const applied = run && isCapsuleRun(run) ? run.input : undefined;
  const origin = applied ?? configuredOrigin(capsule, ports);
  const snapshot = ports.sources.findSnapshot(origin.sourceSnapshotId);
  if (!snapshot) throw snapshotMissing();
  const report = ports.inspection.getReportRow(origin.reportId);
  const { modulePath } = ports.configs.getPrivate(origin.installConfigId);
  const seal = run?.planRunId ? ports.plansStore.findSeal(run.planRunId) : ports.plansStore.findNewestSeal(capsuleId);
  const inputs = applied ? readRunInputs({ input: applied }, ports) : readConfigInputs(origin.installConfigId, ports);
  const { url, ref, resolvedCommit: commit, path: folder, archiveDigest: digest } = snapshot;
  return {
    capsule,
    head,
    module: { url, ref, commit, path: folder, modulePath },
    archive: { path: archivePath(ports.folders.archives, digest), digest },
    treeDir: path.join(ports.folders.capsules, capsuleId, 'tree'),
    inputs,
    injectedNames: ports.dependencies.listInjectedVariables(capsuleId).filter((name) => !inputs.has(name)),
    lock: seal?.lock || null,
    view: rootViewOf(report),
    hasBackend: report.report.findings.some(({ code }) => code === 'backend_overridden'),
    credentials: ports.bindings.listBindings(capsuleId).map(({ moduleLocalName, connectionId }) => ({
      provider: moduleLocalName,
      connection: ports.connections.get(connectionId).displayName ?? connectionId,
    })),
  };
}

type Origin = Pick<CapsuleRunInput, 'installConfigId' | 'sourceSnapshotId' | 'reportId'>;

function configuredOrigin(
  { installConfigId, adoptedSourceRevision, compatibilityReportId }: CapsuleRow,
  ports: ExportPorts,
): Origin {
  const { provenance } = ports.configs.getPrivate(installConfigId);
  return {
    installConfigId,
    sourceSnapshotId: adoptedSourceRevision?.sourceSnapshotId ?? provenance.sourceSnapshotId,
    reportId: compatibilityReportId ?? provenance.reportId,
  };
}

const snapshotMissing = () =>
  failedPrecondition(
    'state_version_snapshot_missing',
    'The snapshot of the module does not exist any more. Sync its Source, and try again.',
  );
