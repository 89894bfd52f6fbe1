import type { CapsuleRow } from '#server/domains/capsules/index';
import {
  auditItem,
  type CapsuleRun,
  type CapsuleRunInput,
  createRunRecorder,
  failureItem,
  isCapsuleRun,
} from '#server/domains/runs/index';
import type { ReportRow } from '#server/domains/sources/index';
import { jsonDigest } from '#server/kernel/digest';
import type { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { type RunErrorCode, runErrorCodes } from '#shared/errors';
import type { Run } from '#shared/runs/contract';
import { pinnedAuthority } from './oidc-authority.ts';
import type { PlanBasis } from './plan-basis.ts';
import {
  type ProposalInput,
  type ProposalPorts,
  type ProposalType,
  requireFiles,
  requirePlannable,
} from './plannable.ts';

type Ports = ProposalPorts & { basis: PlanBasis };

/** Queues Runs that change nothing: plans, destroy plans, drift checks. Every refusal is reported before anything is written. */
export function createProposals(deps: Ports) {
  const { db, clock, runs, capsules } = deps;
  const recordActivity = createRunRecorder(deps.activity);

  function create(capsuleId: string, proposal: ProposalInput): Run {
    return db.write(() => {
      const capsule = capsules.getRow(capsuleId);
      const { type = 'plan', rollbackStateVersionId, cause } = proposal;
      const { runnerPool, tool } = requirePlannable(capsule, proposal, deps);
      const report = reportOf(capsule, proposal, deps);
      const snapshot = requireFiles(report.snapshotId, deps);
      const runId = proposal.runId ?? newId('plan');
      const { waitsFor = [], ...group } = proposal.group ?? {};
      // The producers are applied first, so their Outputs are read when the Run starts.
      const injected = waitsFor.length > 0 ? undefined : takeDependencySnapshot(capsule, { runId, type }, deps);
      const { input: boundInput, ...pinned } = deps.bound.pin(capsule, report, tool);
      const input: CapsuleRunInput = {
        ...boundInput,
        ...configurationInput(capsule, { report, type }, deps),
        ...(injected && { dependencySnapshotId: injected.id, dependencyDigest: injected.digest }),
        ...(waitsFor.length > 0 && { waitsFor }),
      };
      const run = runs.create(
        {
          id: runId,
          ...scopeOf(capsule),
          ...group,
          type,
          runnerPool,
          createdBy: proposal.actorId,
          ...(cause && { cause }),
          input,
          facts: {
            ...factsOf(capsule),
            ...pinned.facts,
            sourceSnapshotId: report.snapshotId,
            compatibilityReportId: report.id,
            ...(rollbackStateVersionId !== undefined && { rollbackStateVersionId }),
            ...(injected && { dependencySnapshotId: injected.id }),
            ...(snapshot && { ref: snapshot.ref, resolvedCommit: snapshot.resolvedCommit }),
          },
          detail: pinned.detail,
        },
        [auditItem('plan.requested', clock.now(), { actor: proposal.actorId })],
      );
      recordActivity(run, 'run.plan_created', { actorId: proposal.actorId });
      return run;
    });
  }

  /** A member of a group that cannot be planned is a failed Run, with the refusal as its reason. */
  function createRefused(capsuleId: string, proposal: ProposalInput, refusal: AppError): Run {
    return db.write(() => {
      const capsule = capsules.getRow(capsuleId);
      const now = clock.now();
      const { actorId, type = 'plan' } = proposal;
      const { waitsFor: _waitsFor, ...group } = proposal.group ?? {};
      const run = runs.create(
        { id: newId('plan'), ...scopeOf(capsule), ...group, type, createdBy: actorId, facts: factsOf(capsule) },
        [auditItem('plan.requested', now, { actor: actorId })],
      );
      recordActivity(run, 'run.plan_created', { actorId });
      const errorCode = errorCodeOf(refusal);
      const { reason } = refusal.details ?? {};
      runs.move(run.id, 'fail', {
        set: { errorCode },
        items: [
          failureItem(now, reason ?? errorCode, refusal.message),
          auditItem('plan.failed', now, { data: { errorCode } }),
        ],
      });
      recordActivity(run, 'run.failed', { metadata: { errorCode } });
      return runs.getRun(run.id);
    });
  }

  return { create, createRefused };
}

/** Pins the configuration and the module of a Run. A plan receives the current sign-in, other Runs that of the state. */
function configurationInput(
  capsule: CapsuleRow,
  { report, type }: { report: ReportRow; type: ProposalType },
  ports: Ports,
): CapsuleRunInput {
  const { installConfigId, writablePaths } = capsule;
  const oidcAuthority =
    type === 'plan' ? pinnedAuthority(capsule, ports) : writerOf(capsule, ports)?.input.oidcAuthority;
  return {
    installConfigId,
    configDigest: ports.configs.digestOf(installConfigId),
    reportId: report.id,
    sourceSnapshotId: report.snapshotId,
    requirementsDigest: requirementsDigestOf(report),
    ...(writablePaths && { writablePaths }),
    ...(oidcAuthority && { oidcAuthority }),
  };
}

/** Existing resources were created by the module of their state, whatever the newest snapshot of the lane is. */
function reportOf(capsule: CapsuleRow, proposal: ProposalInput, { basis, states }: Ports): ReportRow {
  const { type, reportId, rollbackStateVersionId } = proposal;
  if (rollbackStateVersionId !== undefined)
    return basis.reportOf(capsule, states.findHead(rollbackStateVersionId)?.sourceSnapshotId);
  if (type === undefined || type === 'plan') return basis.reportFor(capsule, reportId);
  const stateSnapshotId = states.findCurrentHead(capsule.id)?.sourceSnapshotId;
  const snapshotId = stateSnapshotId ?? capsule.adoptedSourceRevision?.sourceSnapshotId;
  return snapshotId === undefined ? basis.reportFor(capsule, undefined) : basis.reportOf(capsule, snapshotId);
}

/** Returns the Run that wrote the state of a Capsule. */
function writerOf({ id }: CapsuleRow, { runs, states }: Ports): CapsuleRun | undefined {
  const head = states.findCurrentHead(id);
  const writer = head && runs.findRecord(head.createdByRunId);
  return writer && isCapsuleRun(writer) ? writer : undefined;
}

/** A plan receives the current values of others; a drift check or destroy plan receives the values of the state. */
function takeDependencySnapshot(
  capsule: CapsuleRow,
  { runId, type }: { runId: string; type: ProposalType },
  ports: Ports,
): { id: string; digest: string } | undefined {
  const { id: capsuleId, workspaceId } = capsule;
  if (type === 'plan') return ports.dependencies.takeSnapshot({ workspaceId, capsuleId, runId });
  const { dependencySnapshotId: id, dependencyDigest: digest } = writerOf(capsule, ports)?.input ?? {};
  return id === undefined || digest === undefined ? undefined : { id, digest };
}

/** Other provider requirements make the next Run initialize again. */
const requirementsDigestOf = (report: ReportRow): string => jsonDigest(report.report.providerPackages);

export type Proposals = ReturnType<typeof createProposals>;

const compatibilityReasons: readonly (string | undefined)[] = [
  'compatibility_not_runnable',
  'compatibility_report_missing',
  'module_path_not_found',
];

function errorCodeOf({ details }: AppError): RunErrorCode {
  if (compatibilityReasons.includes(details?.reason)) return 'capsule_compatibility_check_failed';
  return runErrorCodes.find((code) => code === details?.reason) ?? 'plan_failed';
}

/** Bindings that every Run of a Capsule gets when it is created. */
export const scopeOf = (capsule: CapsuleRow) => ({
  workspaceId: capsule.workspaceId,
  capsuleId: capsule.id,
  capsuleName: capsule.name,
  sourceId: capsule.sourceId,
  executionAuthorityEpoch: capsule.executionAuthorityEpoch,
  baseStateGeneration: capsule.currentStateGeneration,
});

export const factsOf = (capsule: CapsuleRow) => ({
  subject: { kind: 'capsule' as const, id: capsule.id },
  environment: capsule.environment,
});
