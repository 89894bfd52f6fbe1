import type { CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import { auditItem, type RunRecord } from '#server/domains/runs/index';
import type { InspectionService, SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import { AppError, failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Capsule } from '#shared/capsules/contract';
import type { PlanDocument } from '#shared/deploys/plan';
import { isTerminal } from '#shared/kernel/machine';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { runMachine } from '#shared/runs/machine';
import { isSecretLike } from '#shared/secret-like';
import { apiPrefix } from '#shared/vendor';
import { createRunRecorder } from './activity-records.ts';
import { createPlanBasis } from './plan-basis.ts';
import type { GroupPosition, ProposalPorts, WaitsFor } from './plannable.ts';
import type { PolicyGate } from './policy-gate.ts';
import { createProposals, factsOf, scopeOf } from './proposals.ts';
import { refusalOf, requireAppliable, requireReviewable } from './review-checks.ts';
import type { DeploysStore, PlanSeal } from './store.ts';
import { createFindUncheckedModule } from './unchecked-module.ts';

export type DeploysService = ReturnType<typeof createDeploysService>;

type Deps = ProposalPorts & {
  store: DeploysStore;
  capsules: CapsulesService;
  configs: InstallConfigsService;
  sources: SourcesService;
  inspection: InspectionService;
  dependencies: Pick<DependenciesService, 'takeSnapshot' | 'listInjectedVariables'>;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'findPolicy'>;
  bindings: Pick<ProviderBindingsService, 'listBindings'>;
  policyGate: PolicyGate;
  /** True when the files that an apply of this plan needs are still in the folder of its Run. */
  hasPlanFiles: (seal: Pick<PlanSeal, 'runId' | 'builtDigest'>) => boolean;
};

/** The rules of plan, review and apply. Nothing here runs the tool: it queues Runs. */
export function createDeploysService(deps: Deps) {
  const { db, clock, store, runs, capsules } = deps;
  const recordActivity = createRunRecorder(deps.activity);
  const basis = createPlanBasis(deps);
  const proposals = createProposals({ ...deps, basis });

  const hasNewer = (plan: RunRecord): boolean => runs.findNewerPlan(plan) !== undefined;

  function approve(runId: string, input: { actorId: string; reason?: string | undefined }): Run {
    return db.write(() => {
      const run = runs.getRecord(runId);
      if (run.facts.approval && run.status !== 'waiting_approval') return runs.getRun(runId);
      if (run.capsuleId === null) throw refusalOf('nothing_to_approve');
      if (input.reason !== undefined && isSecretLike(input.reason))
        throw invalidArgument(
          'secret_like_value',
          'The reason contains something that looks like a credential. Remove it.',
          {
            field: '/reason',
          },
        );
      const capsule = capsules.getRow(run.capsuleId);
      const policies = [
        deps.workspaces.findPolicy(run.workspaceId),
        deps.configs.getPrivate(capsule.installConfigId).policy,
      ];
      requireReviewable(run, { capsule, policies, actorId: input.actorId, now: clock.now(), hasNewer: hasNewer(run) });
      const reason = input.reason === undefined ? {} : { reason: input.reason };
      const now = clock.now();
      runs.move(runId, 'approve', {
        facts: { approval: { by: input.actorId, at: new Date(now).toISOString(), ...reason } },
        items: [
          auditItem('plan.approved', now, {
            actor: input.actorId,
            ...(input.reason !== undefined && { data: reason }),
          }),
        ],
      });
      recordActivity(run, 'run.approved', { actorId: input.actorId });
      return runs.getRun(runId);
    });
  }

  function apply(
    runId: string,
    input: { actorId: string; planDigest?: string | undefined; tool: ToolIdentity; group?: GroupPosition & WaitsFor },
  ): { run: Run; capsule: Capsule; isNew: boolean } {
    return db.write(() => {
      const plan = runs.getRecord(runId);
      if (plan.applyRunId !== null) return replay(plan, input.actorId);
      if (plan.capsuleId === null) throw refusalOf('run_not_appliable');
      const capsule = capsules.getRow(plan.capsuleId);
      deps.workspaces.requireLive(plan.workspaceId);
      const seal = store.findSeal(runId);
      requireAppliable(plan, {
        capsule,
        seal,
        hasPlanFiles: seal !== undefined && deps.hasPlanFiles(seal),
        tool: input.tool,
        planDigest: input.planDigest,
        isDenied: () => deps.policyGate(plan, plan.id).length > 0,
        connectionsChanged: () => deps.bound.hasChanged(plan, input.tool),
        now: clock.now(),
        hasNewer: hasNewer(plan),
      });
      const id = newId('apply');
      const { waitsFor, ...group } = input.group ?? groupPosition(plan);
      if (!runs.store.consumePlan(runId, id))
        throw new AppError('conflict', 'Another apply of this plan was created first. Reload to see it.');
      const run = runs.create(
        {
          id,
          ...scopeOf(capsule),
          type: plan.type === 'destroy_plan' ? 'destroy_apply' : 'apply',
          createdBy: input.actorId,
          planRunId: runId,
          planDigest: plan.planDigest,
          ...group,
          input: { ...plan.input, waitsFor },
          facts: {
            ...factsOf(capsule),
            ...inheritedFacts(plan),
          },
          detail: inheritedDetail(plan),
        },
        [auditItem('apply.queued', clock.now(), { actor: input.actorId })],
      );
      recordActivity(run, 'run.apply_created', { actorId: input.actorId });
      return { run, capsule: capsules.getCapsule(capsule.id), isNew: true };
    });
  }

  /** The apply of a member belongs to its group, also when it was requested separately. */
  const groupPosition = ({ runGroupId, groupLayer }: RunRecord): Partial<GroupPosition & WaitsFor> =>
    runGroupId === null ? {} : { runGroupId, groupLayer: groupLayer ?? 0 };

  function replay(plan: RunRecord, actorId: string) {
    const applied = runs.getRecord(plan.applyRunId ?? '');
    runs.append(applied.id, [auditItem('apply.idempotent_replay', clock.now(), { actor: actorId })]);
    return { run: runs.getRun(applied.id), capsule: capsules.getCapsule(plan.capsuleId ?? ''), isNew: false };
  }

  function requireIdle(capsuleId: string): void {
    if (runs.findActive(capsuleId))
      throw failedPrecondition(
        'run_in_progress',
        'A Run of this Capsule is queued or running. Cancel it or wait for its end.',
      );
  }

  return {
    findNextPlan: basis.findNextPlan,
    requireOwnLane: basis.requireOwnLane,
    findUncheckedModule: createFindUncheckedModule(deps),
    createPlan: proposals.create,
    createRefused: proposals.createRefused,
    approve,
    apply,
    /** True when a Capsule needs a destroy plan: resources were created and still exist. */
    isApplied: (capsuleId: string): boolean => {
      const { status, currentStateVersionId } = capsules.getRow(capsuleId);
      return status !== 'destroyed' && currentStateVersionId !== null;
    },

    /** Discards a Capsule that never dispatched a provider. */
    discard(capsuleId: string, actorId: string): { capsule: Capsule; abandoned?: true; alreadyDeleted?: true } {
      return db.write(() => {
        const capsule = capsules.getRow(capsuleId);
        if (capsule.status === 'destroyed') return { capsule: capsules.getCapsule(capsuleId), alreadyDeleted: true };
        requireIdle(capsuleId);
        if (capsule.status !== 'pending') {
          throw failedPrecondition(
            'capsule_owned_resources_pending',
            'A provider may have changed resources and no state was stored. Plan again to see what exists.',
          );
        }
        const gone = capsules.move(capsuleId, 'abandon');
        runs.supersede(capsuleId, 'authority_epoch');
        deps.activity.record({
          workspaceId: capsule.workspaceId,
          actorId,
          action: 'capsule.abandoned',
          targetType: 'capsule',
          targetId: capsuleId,
        });
        return { capsule: gone, abandoned: true };
      });
    },

    /** Creates a destroy plan for an applied Capsule, which a person has to approve. */
    planRemoval(capsuleId: string, input: { actorId: string; tool: ToolIdentity }): Run {
      return db.write(() => {
        requireIdle(capsuleId);
        return proposals.create(capsuleId, { ...input, type: 'destroy_plan' });
      });
    },

    /** Plans a rollback to the commit of a StateVersion, with the current configuration. */
    planRollback(stateVersionId: string, input: { actorId: string; tool: ToolIdentity }): Run {
      const head = deps.states.findHead(stateVersionId);
      if (!head) throw notFound('StateVersion');
      return proposals.create(head.capsuleId, { ...input, rollbackStateVersionId: stateVersionId });
    },

    /** Returns the redacted plan, page by page; an apply shows that of its plan. */
    getPlan(runId: string, query: { after?: number | undefined; limit: number }): PlanDocument {
      const run = runs.getRecord(runId);
      if (!isPlanType(run.type) && !isApplyType(run.type)) throw notFound('plan: this type of Run has none');
      const document = store.findDocument(run.planRunId ?? runId);
      if (!document) throw withoutPlan(run);
      const start = query.after ?? 0;
      const end = start + query.limit;
      return {
        ...document,
        resources: document.resources.slice(start, end),
        ...(end < document.resources.length && { nextAfter: end }),
      };
    },
  };
}

/** A plan that is not computed yet, or a Run that ended without one and has the reason in its diagnostics. */
function withoutPlan({ id, status }: RunRecord): AppError {
  if (!isTerminal(runMachine, status))
    return failedPrecondition(
      'plan_not_ready',
      'The plan is not computed yet. Try again when the Run has finished planning.',
    );
  const logs = `${apiPrefix}/runs/${id}/logs`;
  const message = `This Run ended without a plan. Read its diagnostics at ${logs}.`;
  return failedPrecondition('plan_not_available', message, { diagnostics: logs });
}

/** Data that an apply takes over from its plan. */
function inheritedFacts({ facts }: RunRecord) {
  const { ref, resolvedCommit, sourceSnapshotId, compatibilityReportId, dependencySnapshotId } = facts;
  const { providerLockDigest, summary, runEnvironmentEvidenceDigest, redactionProfileId } = facts;
  return present({
    ref,
    resolvedCommit,
    sourceSnapshotId,
    compatibilityReportId,
    dependencySnapshotId,
    providerLockDigest,
    summary,
    runEnvironmentEvidenceDigest,
    redactionProfileId,
  });
}

const inheritedDetail = ({ detail: { applyExpected, providerResolutions } }: RunRecord) =>
  present({ applyExpected, providerResolutions });

const present = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
