import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { Hostnames, InstallConfigsService } from '#server/domains/install-configs/index';
import type { FindAuthority } from '#server/domains/issuer/index';
import type { RunnerPoolsService } from '#server/domains/runner-pools/index';
import type { RunsService } from '#server/domains/runs/index';
import type { SnapshotRow, SourcesService } from '#server/domains/sources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { RunTrigger } from '#shared/runs/changes';
import { localPool } from '#shared/runs/contract';
import type { BoundPlans } from './bound.ts';
import { requireAuthority } from './oidc-authority.ts';

export type ProposalType = 'plan' | 'destroy_plan' | 'drift_check';
/** Position in a RunGroup. */
export type GroupPosition = { runGroupId: string; groupLayer: number };
/** Runs of the group that have to end first; a plan among them also has to be applied, or be no longer applicable. */
export type WaitsFor = { waitsFor?: readonly string[] | undefined };
export type ProposalInput = {
  actorId: string;
  tool: ToolIdentity;
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
  runnerPools: Pick<RunnerPoolsService, 'poolOf'>;
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

/** Checks a Capsule before its module is inspected. 409 with the reason. */
export function requirePlannable(
  capsule: CapsuleRow,
  { tool, type = 'plan', runnerId }: Pick<ProposalInput, 'tool' | 'type' | 'runnerId'>,
  ports: ProposalPorts,
): void {
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
  const writtenBy = ports.states.findCurrentHead(capsule.id)?.toolName;
  if (writtenBy !== undefined && writtenBy !== tool.name) {
    throw failedPrecondition(
      'tool_version_changed',
      `The state was written by ${writtenBy}, and this server runs ${tool.name}. Use the same tool again.`,
    );
  }
  ports.configs.requireIntact(capsule.installConfigId);
  const { parts } = ports.configs.getPrivate(capsule.installConfigId);
  const isLocal = ports.runnerPools.poolOf(capsule, runnerId) === localPool;
  if (!isLocal && (capsule.writablePaths?.length ?? 0) > 0) throw foldersElsewhere();
  // The machines of pools build in their sandboxes.
  const unavailableReason = isLocal && parts.sourceBuild ? ports.findBuildUnavailableReason() : undefined;
  if (unavailableReason !== undefined) throw new AppError('runner_unavailable', unavailableReason);
  ports.runs.requireCapacity(capsule.id);
  if (type !== 'plan') return;
  requireAuthority(capsule, ports);
  ports.hostnames.requireProven(capsule, parts);
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
