import { authorityDigestOf } from '#server/domains/issuer/index';
import type { CapsuleRunInput, PlanRun } from '#server/domains/runs/index';
import { jsonDigest } from '#server/kernel/digest';
import type { ApplyExpected } from '#shared/runs/contract';
import type { PolicyVerdict } from './policy.ts';
import type { PlanSeal } from './store.ts';

type ReviewedPlan = {
  seal: PlanSeal;
  verdict: PolicyVerdict;
  planDigest: string;
  currentStateVersionId: string | null;
};

/** Returns the values that an apply of this plan is checked against. */
export function applyExpectedOf(run: PlanRun, reviewed: ReviewedPlan): ApplyExpected {
  const { seal, verdict, planDigest, currentStateVersionId } = reviewed;
  const { bound, writablePaths } = run.input;
  return {
    planId: run.id,
    capsuleId: seal.capsuleId,
    currentStateVersionId,
    runnerId: run.runnerPool,
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

/** Digest of all values for variables: the configuration, values from other Capsules, and those of a sign-in. */
function variablesDigestOf({ configDigest, dependencyDigest, oidcAuthority }: CapsuleRunInput): string {
  const others = [
    ...(dependencyDigest === undefined ? [] : [dependencyDigest]),
    ...(oidcAuthority === undefined ? [] : [authorityDigestOf(oidcAuthority)]),
  ];
  return others.length === 0 ? configDigest : jsonDigest([configDigest, ...others]);
}
