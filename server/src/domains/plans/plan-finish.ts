import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { type Folders, runDirOf } from '#server/domains/execution/index';
import type { InstallConfigsService } from '#server/domains/install-configs/index';
import {
  auditItem,
  type CapsuleRunInput,
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
import { jsonDigest } from '#server/kernel/digest';
import type { PlanOutcome } from '#server/runner/index';
import { type PlanDocument, parsePlanDocument } from '#shared/plans/document';
import { maxPlanResources } from '#shared/plans/totals';
import type { ApplyExpected } from '#shared/runs/contract';
import type { FeedItem } from '#shared/runs/feed';
import { planDigestOf } from './plan-digest.ts';
import { evaluatePolicy, type PolicyVerdict } from './policy.ts';
import type { PolicyGate } from './policy-gate.ts';
import { similarNamesMessage } from './similar-names.ts';
import type { PlanSeal, PlansStore } from './store.ts';

const lockChanged =
  'The providers of this plan are locked to other versions or packages than those you last approved, and they receive credentials. Review the change of the lock file, then approve.';

const readByProviders =
  'A provider of this plan ran while the plan was read, because its schema was not available otherwise. It could have altered the displayed plan. Check the providers, then approve.';

type Warning = { code: string; message: string };

/** A plan that a provider could have altered requires approval. */
const readWarnings = ({ isShownByProviders }: PlanOutcome): Warning[] =>
  isShownByProviders ? [{ code: 'plan_read_by_providers', message: readByProviders }] : [];

/** A person who approves cannot distinguish two names that look the same. */
function nameWarnings({ resources, outputs, drift }: PlanDocument, { addresses }: PlanOutcome): Warning[] {
  const changed = [...resources, ...drift].flatMap(({ address, previousAddress = address }) => [
    address,
    previousAddress,
  ]);
  const message = similarNamesMessage([...changed, ...addresses, ...outputs.map(({ name }) => name)]);
  return message === undefined ? [] : [{ code: 'plan_names_look_alike', message }];
}

type Deps = {
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
};

/** Commits a plan: its seal, its redacted document, the policy result, and the next status of the Run. */
export function createPlanFinish(deps: Deps) {
  const { clock, store, runs } = deps;
  const recordActivity = createRunRecorder(deps.activity);

  return (run: PlanRun, outcome: PlanOutcome): void => {
    const now = clock.now();
    const { input } = run;
    const document = readDocument(path.join(runDirOf(deps.folders, run.id), outcome.projectionFile));
    const seal: PlanSeal = {
      runId: run.id,
      capsuleId: run.capsuleId,
      planFileDigest: outcome.planFileDigest,
      lock: outcome.lock,
      lockDigest: outcome.lockDigest,
      requirementsDigest: input.requirementsDigest,
      stateLineage: outcome.stateLineage,
      stateSerial: outcome.stateSerial,
      toolName: run.facts.toolName ?? 'tofu',
      toolVersion: run.facts.toolVersion ?? '',
      configDigest: input.configDigest,
      builtDigest: outcome.builtDigest ?? null,
      addresses: [...outcome.addresses],
      createdAt: now,
    };
    const warnings = [...lockWarnings(seal, input), ...readWarnings(outcome), ...nameWarnings(document, outcome)];
    store.insertArtifact(seal, document);
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
    settle({ run, outcome, seal, verdict, planDigest, document });
  };

  /** Programs that were not reviewed must not receive credentials without approval. */
  function lockWarnings({ capsuleId, lockDigest }: PlanSeal, { bound }: CapsuleRunInput): Warning[] {
    const reviewed = bound && store.findReviewedLock(capsuleId);
    return reviewed === undefined || reviewed === lockDigest
      ? []
      : [{ code: 'provider_lock_changed', message: lockChanged }];
  }

  function settle(done: {
    run: PlanRun;
    outcome: PlanOutcome;
    seal: PlanSeal;
    verdict: PolicyVerdict;
    planDigest: string;
    document: PlanDocument;
  }): void {
    const { run, outcome, seal, verdict, planDigest, document } = done;
    const now = clock.now();
    const event = eventOf(run, outcome, verdict);
    const planResources = document.resources
      .slice(0, maxPlanResources)
      .map(({ address, type, actions }) => ({ address, type, actions }));
    const drift = run.type === 'drift_check' && event === 'finish' ? document.drift.length : undefined;
    runs.move(run.id, event, {
      set: {
        planDigest,
        // A drift check proposes nothing, so it does not expire.
        ...(run.type !== 'drift_check' && { planExpiresAt: now + deps.planTtlMs }),
        detail: { ...run.detail, planResources, applyExpected: expectedOf(run, { seal, verdict, planDigest }) },
        ...(event === 'fail' && { errorCode: 'policy_denied' as const }),
      },
      facts: {
        summary: outcome.summary,
        ...(run.type !== 'drift_check' && { hasChanges: hasChanges(run, document) }),
        providerLockDigest: seal.lockDigest,
        planArtifactRef: `plan://${run.id}`,
        policyStatus: verdict.status,
        requiresApproval: event === 'requestApproval',
        ...(drift !== undefined && { driftCount: drift }),
        phaseTimings: phaseTimingsOf(runs, run.id),
      },
      items:
        event === 'fail'
          ? deniedItems(verdict, now)
          : [
              auditItem('plan.completed', now, { data: { summary: outcome.summary, planDigest } }),
              ...driftItems(drift, now),
            ],
    });
    if (event === 'fail') recordActivity(run, 'run.failed', { metadata: { errorCode: 'policy_denied' } });
    if (drift !== undefined && drift > 0) recordDrift(run, drift);
  }

  function recordDrift(run: PlanRun, count: number): void {
    deps.activity.record({
      workspaceId: run.workspaceId,
      action: 'capsule.drift_detected',
      targetType: 'capsule',
      targetId: run.capsuleId,
      runId: run.id,
      metadata: { count },
    });
  }

  function expectedOf(
    run: PlanRun,
    part: { seal: PlanSeal; verdict: PolicyVerdict; planDigest: string },
  ): ApplyExpected {
    const { seal, verdict, planDigest } = part;
    const capsule = deps.capsules.getRow(seal.capsuleId);
    const { bound, writablePaths } = run.input;
    return {
      planId: run.id,
      capsuleId: seal.capsuleId,
      currentStateVersionId: capsule.currentStateVersionId,
      runnerId: 'local',
      sourceDigest: jsonDigest(run.facts.resolvedCommit ?? ''),
      variablesDigest: variablesDigestOf(run.input),
      policyDecisionDigest: jsonDigest({
        status: verdict.status,
        messages: verdict.messages,
        ...(writablePaths && { writablePaths }),
      }),
      planDigest,
      planArtifactDigest: seal.planFileDigest,
      ...(run.facts.resolvedCommit && { sourceCommit: run.facts.resolvedCommit }),
      providerLockDigest: seal.lockDigest,
      ...(bound && { resolvedProviderBindingsDigest: bound.digest }),
    };
  }
}

/** True when an apply would change anything: a destroy ends its Capsule even where no resource is left to destroy. */
const hasChanges = ({ type }: PlanRun, { resourceCount, outputs }: PlanDocument): boolean =>
  type === 'destroy_plan' || resourceCount > 0 || outputs.length > 0;

/** A drift check never requires approval, and a destroy plan always does. */
function eventOf(
  { type }: PlanRun,
  { destructive }: PlanOutcome,
  verdict: PolicyVerdict,
): 'fail' | 'requestApproval' | 'finish' {
  if (verdict.status === 'deny') return 'fail';
  if (type === 'drift_check') return 'finish';
  const needsApproval =
    type === 'destroy_plan' || destructive || verdict.status === 'warn' || verdict.requireSecondPerson;
  return needsApproval ? 'requestApproval' : 'finish';
}

const deniedItems = ({ messages }: PolicyVerdict, at: number): FeedItem[] => [
  ...messages.map((message) => failureItem(at, 'policy_denied', message)),
  auditItem('plan.failed', at, { data: { errorCode: 'policy_denied' } }),
];

/** Result of a drift check: the number of resources that differ from the state. */
function driftItems(count: number | undefined, at: number): FeedItem[] {
  if (count === undefined) return [];
  return [count > 0 ? auditItem('drift.detected', at, { data: { count } }) : auditItem('drift.none', at)];
}

/** Digest of all values for variables: the configuration, and values from other Capsules. */
const variablesDigestOf = ({ configDigest, dependencyDigest }: CapsuleRunInput): string =>
  dependencyDigest === undefined ? configDigest : jsonDigest([configDigest, dependencyDigest]);

const readDocument = (file: string): PlanDocument => parsePlanDocument(readFileSync(file, 'utf8'));
