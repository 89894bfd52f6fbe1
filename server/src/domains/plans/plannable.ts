import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { RunTool, ServerTool } from '#server/domains/execution/index';
import type { Hostnames, InstallConfigsService } from '#server/domains/install-configs/index';
import type { FindAuthority } from '#server/domains/issuer/index';
import type { RunnerPoolsService } from '#server/domains/runner-pools/index';
import type { RunsService } from '#server/domains/runs/index';
import type { SnapshotRow, SourcesService } from '#server/domains/sources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { RunTrigger } from '#shared/runs/changes';
import { localPool } from '#shared/runs/contract';
import type { BoundPlans } from './bound.ts';
import { requireAuthority } from './oidc-authority.ts';
import { type RunToolPorts, toolOfNewRun } from './run-tool.ts';

export type ProposalType = 'plan' | 'destroy_plan' | 'drift_check';
/** Position in a RunGroup. */
export type GroupPosition = { runGroupId: string; groupLayer: number };
/** Runs of the group that have to end first; a plan among them also has to be applied, or be no longer applicable. */
export type WaitsFor = { waitsFor?: readonly string[] | undefined };
export type ProposalInput = {
  actorId: string;
  /** Tool of the machine of the server; a Run of a pool uses that of a machine of the pool. */
  tool: ServerTool;
  type?: ProposalType | undefined;
  /** Pool of the Run; without it that of the Capsule or its Workspace. */
  runnerId?: string | undefined;
  /** For a plan: the checked module; without it the newest one of the lane. */
  reportId?: string | undefined;
  /** For a plan: the state whose commit it rolls back to. */
  rollbackStateVersionId?: string | undefined;
  group?: (GroupPosition & WaitsFor) | undefined;
  runId?: string | undefined;
  /** Cause of the Run, if it is not that of its requester. */
  cause?: RunTrigger;
};

export type ProposalPorts = {
  db: Db;
  clock: Clock;
  runs: RunsService;
  capsules: Pick<CapsulesService, 'getRow'>;
  configs: Pick<InstallConfigsService, 'getPrivate' | 'digestOf' | 'requireIntact'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  dependencies: Pick<DependenciesService, 'takeSnapshot'>;
  states: Pick<StateVersionsService, 'findCurrentHead' | 'findHead'>;
  workspaces: Pick<WorkspacesService, 'requireLive'>;
  activity: Pick<ActivityService, 'record'>;
  hostnames: Pick<Hostnames, 'requireProven'>;
  bound: BoundPlans;
  runnerPools: Pick<RunnerPoolsService, 'poolOf' | 'listPoolTools'>;
  pinnedToolVersion: RunToolPorts['pinnedToolVersion'];
  findAuthority: FindAuthority;
  /** The reason that builds are not available on this machine. */
  findBuildUnavailableReason: () => string | undefined;
  /** True when the files of a snapshot are still stored. */
  hasArchive: (archiveDigest: string) => boolean;
};

const foldersElsewhere = () =>
  failedPrecondition(
    'runner_pool_without_folders',
    'This Capsule may write to folders of the machine of the server, which other machines do not have. Plan it on `local`, or ask the operator to withdraw the folders.',
  );

/** Pool and tool of a new Run. */
export type Destination = { runnerPool: string; tool: RunTool };

/**
 * Checks a Capsule before its module is inspected. Returns where its Run goes. 409 with the reason, 503 `runner_unavailable`
 * for a Run in `local` that has no tool.
 */
export function requirePlannable(
  capsule: CapsuleRow,
  { tool: serverTool, type = 'plan', runnerId }: Pick<ProposalInput, 'tool' | 'type' | 'runnerId'>,
  ports: ProposalPorts,
): Destination {
  if (capsule.status === 'destroyed')
    throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
  if (capsule.status === 'disabled')
    throw failedPrecondition('capsule_disabled', 'This Capsule is disabled. Ask the operator to enable it.');
  ports.workspaces.requireLive(capsule.workspaceId);
  if (type !== 'plan' && capsule.currentStateVersionId === null) {
    throw failedPrecondition(
      'capsule_never_applied',
      'This Capsule was never applied, so it has no resources yet. Plan and apply it first.',
    );
  }
  const { runnerPool, tool } = requireDestination(capsule, { tool: serverTool, runnerId }, ports);
  const isLocal = runnerPool === localPool;
  ports.configs.requireIntact(capsule.installConfigId);
  const { parts } = ports.configs.getPrivate(capsule.installConfigId);
  if (!isLocal && (capsule.writablePaths?.length ?? 0) > 0) throw foldersElsewhere();
  // The machines of pools build in their sandboxes.
  const unavailableReason = isLocal && parts.sourceBuild ? ports.findBuildUnavailableReason() : undefined;
  if (unavailableReason !== undefined) throw new AppError('runner_unavailable', unavailableReason);
  ports.runs.requireCapacity(capsule.id);
  if (type === 'plan') {
    requireAuthority(capsule, ports);
    ports.hostnames.requireProven(capsule, parts);
  }
  return { runnerPool, tool };
}

/** Returns the pool and the tool of a new Run. 409 `tool_version_changed` when the tool cannot read the state. */
function requireDestination(
  capsule: CapsuleRow,
  { tool, runnerId }: Pick<ProposalInput, 'tool' | 'runnerId'>,
  ports: Pick<ProposalPorts, 'states' | 'runnerPools' | 'pinnedToolVersion'>,
): Destination {
  const writtenBy = ports.states.findCurrentHead(capsule.id)?.toolName;
  const runnerPool = ports.runnerPools.poolOf(capsule, runnerId);
  const isLocal = runnerPool === localPool;
  const needed = writtenBy && { name: writtenBy };
  const runTool = toolOfNewRun({ poolId: runnerPool, tool, needed }, ports);
  if (writtenBy !== undefined && writtenBy !== runTool.name) {
    throw failedPrecondition(
      'tool_version_changed',
      `The state was written by ${writtenBy}, and ${isLocal ? 'this server runs' : 'the machines of the pool run'} ${runTool.name}. Use the same tool again.`,
    );
  }
  return { runnerPool, tool: runTool };
}

/** Returns the snapshot of a plan, whose files must still exist. 409 `source_sync_required`. */
export function requireFiles(snapshotId: string, { sources, hasArchive }: ProposalPorts): SnapshotRow | undefined {
  const snapshot = sources.findSnapshot(snapshotId);
  if (snapshot && !hasArchive(snapshot.archiveDigest)) {
    throw failedPrecondition(
      'source_sync_required',
      'The files of this snapshot were deleted. Sync the Source and check it, then plan.',
      { sourceSnapshotId: snapshot.id },
    );
  }
  return snapshot;
}
