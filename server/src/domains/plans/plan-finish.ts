import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { type Folders, runDirOf } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import {
  auditItem,
  createRunRecorder,
  failureItem,
  type PlanRun,
  phaseItem,
  phaseTimingsOf,
  type RunsService,
  warningItem,
} from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { PlanOutcome } from '#server/runner/index';
import type { RunErrorCode } from '#shared/errors';
import type { PlanDocument, PlanResource } from '#shared/plans/document';
import { maxPlanResources } from '#shared/plans/totals';
import type { FeedItem } from '#shared/runs/feed';
import { applyExpectedOf } from './apply-expected.ts';
import { planDigestOf } from './plan-digest.ts';
import { createBindRequired, type RequirementFault, type RequirementPorts } from './plan-requirements.ts';
import { planWarnings } from './plan-warnings.ts';
import { readPlanned } from './planned-document.ts';
import { evaluatePolicy, type PolicyVerdict } from './policy.ts';
import type { PolicyGate } from './policy-gate.ts';
import type { SealedDigests } from './sealed-digests.ts';
import type { PlanSeal, PlansStore } from './store.ts';

type Deps = RequirementPorts & {
  db: Db;
  clock: Clock;
  folders: Folders;
  planTtlMs: number;
  store: PlansStore;
  runs: RunsService;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'findPolicy'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  policyGate: PolicyGate;
  sealedDigests: Pick<SealedDigests, 'insert'>;
  /** Receives the drift of a check, with the digests of its sensitive values, in the transaction that ends the Run. */
  recordDrift: (run: PlanRun, drift: readonly PlanResource[]) => void;
};

/** Commits a plan: its seal, its redacted document, the policy result, and the next status of the Run. */
export function createPlanFinish(deps: Deps) {
  const { clock, store, runs } = deps;
  const settle = createSettle(deps);
  const bindRequired = createBindRequired(deps);

  return (run: PlanRun, outcome: PlanOutcome): void => {
    const now = clock.now();
    const { input } = run;
    const { document, digests, drift } = readPlanned(runDirOf(deps.folders, run.id), outcome.projectionFile);
    const seal = sealOf(run, outcome, now);
    const warnings = planWarnings(run, { outcome, seal, document }, store);
    store.insertArtifact(seal, document);
    deps.sealedDigests.insert(run, digests);
    const verdict = evaluatePolicy(
      [deps.workspaces.findPolicy(run.workspaceId), deps.configs.getPrivate(input.installConfigId).policy],
      {
        ...document,
        destructive: outcome.destructive,
        denied: deps.policyGate(run),
        warnings: warnings.map(({ message }) => message),
      },
    );
    const planDigest = planDigestOf(seal, {
      commit: run.facts.resolvedCommit ?? '',
      epoch: run.executionAuthorityEpoch ?? 0,
    });
    runs.append(run.id, [
      phaseItem('policy', 'started', now),
      phaseItem('policy', 'finished', now),
      auditItem('plan.policy_evaluated', now, { data: { policyStatus: verdict.status } }),
      ...warnings.map(({ code, message }) => warningItem(now, code, message)),
    ]);
    const failure = denialOf(verdict) ?? failureOf(bindRequired(run));
    settle({ run, outcome, seal, verdict, failure, planDigest, document, drift });
  };
}

type ComputedPlan = {
  run: PlanRun;
  outcome: PlanOutcome;
  seal: PlanSeal;
  verdict: PolicyVerdict;
  /** Reasons why the Run fails although the tool has planned. */
  failure: PlanFailure | undefined;
  planDigest: string;
  document: PlanDocument;
  drift: readonly PlanResource[];
};

/** Moves the Run of a computed plan, with its facts, and records the drift that a check found. */
function createSettle(deps: Deps) {
  const { clock, runs } = deps;
  const recordActivity = createRunRecorder(deps.activity);

  function settle({ run, outcome, seal, verdict, failure, planDigest, document, drift }: ComputedPlan): void {
    const now = clock.now();
    const event = failure ? 'fail' : eventOf(run, outcome, verdict);
    const planResources = document.resources
      .slice(0, maxPlanResources)
      .map(({ address, type, actions }) => ({ address, type, actions }));
    const { currentStateVersionId } = deps.capsules.getRow(run.capsuleId);
    const applyExpected = applyExpectedOf(run, { seal, verdict, planDigest, currentStateVersionId });
    const driftCount = run.type === 'drift_check' && event === 'finish' ? drift.length : undefined;
    runs.move(run.id, event, {
      set: {
        planDigest,
        // A drift check proposes nothing, so it does not expire.
        ...(run.type !== 'drift_check' && { planExpiresAt: now + deps.planTtlMs }),
        detail: { ...run.detail, planResources, applyExpected },
        ...(failure && { errorCode: failure.errorCode }),
      },
      facts: {
        summary: outcome.summary,
        ...(run.type !== 'drift_check' && { hasChanges: hasChanges(run, document) }),
        providerLockDigest: seal.lockDigest,
        planArtifactRef: `plan://${run.id}`,
        policyStatus: verdict.status,
        requiresApproval: event === 'requestApproval',
        ...(driftCount !== undefined && { driftCount }),
        phaseTimings: phaseTimingsOf(runs, run.id),
      },
      items: failure
        ? failedItems(failure, now)
        : [
            auditItem('plan.completed', now, { data: { summary: outcome.summary, planDigest } }),
            ...driftItems(driftCount, now),
          ],
    });
    if (failure) recordActivity(run, 'run.failed', { metadata: { errorCode: failure.errorCode } });
    if (driftCount !== undefined) deps.recordDrift(run, drift);
  }

  return settle;
}

const sealOf = (run: PlanRun, outcome: PlanOutcome, createdAt: number): PlanSeal => ({
  runId: run.id,
  capsuleId: run.capsuleId,
  planFileDigest: outcome.planFileDigest,
  lock: outcome.lock,
  lockDigest: outcome.lockDigest,
  requirementsDigest: run.input.requirementsDigest,
  stateLineage: outcome.stateLineage,
  stateSerial: outcome.stateSerial,
  toolName: run.facts.toolName ?? 'tofu',
  toolVersion: run.facts.toolVersion ?? '',
  configDigest: run.input.configDigest,
  builtDigest: outcome.builtDigest ?? null,
  addresses: [...outcome.addresses],
  createdAt,
});

/** True when an apply would change anything: a destroy ends its Capsule even where no resource is left to destroy. */
const hasChanges = ({ type }: PlanRun, { resourceCount, outputs }: PlanDocument): boolean =>
  type === 'destroy_plan' || resourceCount > 0 || outputs.length > 0;

/** A drift check never requires approval, and a destroy plan always does. */
function eventOf(
  { type }: PlanRun,
  { destructive }: PlanOutcome,
  verdict: PolicyVerdict,
): 'requestApproval' | 'finish' {
  if (type === 'drift_check') return 'finish';
  const needsApproval =
    type === 'destroy_plan' || destructive || verdict.status === 'warn' || verdict.requireSecondPerson;
  return needsApproval ? 'requestApproval' : 'finish';
}

type PlanFailure = { errorCode: RunErrorCode; reasons: readonly { code: string; message: string }[] };

const denialOf = ({ status, messages }: PolicyVerdict): PlanFailure | undefined =>
  status === 'deny'
    ? { errorCode: 'policy_denied', reasons: messages.map((message) => ({ code: 'policy_denied', message })) }
    : undefined;

const failureOf = (fault: RequirementFault | undefined): PlanFailure | undefined =>
  fault && { errorCode: 'plan_failed', reasons: [fault] };

const failedItems = ({ errorCode, reasons }: PlanFailure, at: number): FeedItem[] => [
  ...reasons.map(({ code, message }) => failureItem(at, code, message)),
  auditItem('plan.failed', at, { data: { errorCode } }),
];

/** Result of a drift check: the number of resources that differ from the state. */
function driftItems(count: number | undefined, at: number): FeedItem[] {
  if (count === undefined) return [];
  return [count > 0 ? auditItem('drift.detected', at, { data: { count } }) : auditItem('drift.none', at)];
}
