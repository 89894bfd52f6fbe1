import { type CapsulesService, findHold, heldMessage } from '#server/domains/capsules/index';
import type { Refusal, StartCheck } from '#server/domains/execution/index';
import { type PlansStore, planDigestOf } from '#server/domains/plans/index';
import { isApplyRun, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';

type Ports = {
  store: Pick<PlansStore, 'findSeal'>;
  runs: Pick<RunsService, 'getCapsuleRun' | 'findNewerPlan'>;
};

const broken: Refusal = {
  code: 'plan_seal_mismatch',
  message: 'The reviewed plan does not match its seal any more. Plan again.',
};

/** The check of an apply when it starts: its plan is the newest one and still is what was reviewed. */
export const createSealCheck =
  ({ store, runs }: Ports): StartCheck =>
  (run, tool) => {
    if (!isApplyRun(run)) return undefined;
    const plan = runs.getCapsuleRun(run.planRunId);
    if (runs.findNewerPlan(plan) !== undefined) {
      const message = 'A newer plan of this Capsule was created before this apply started. Review that one.';
      return { code: 'plan_superseded', message };
    }
    const seal = store.findSeal(plan.id);
    if (!seal) return broken;
    if (seal.toolName !== tool.name || seal.toolVersion !== tool.version) {
      const message = `The plan was created by ${seal.toolName} ${seal.toolVersion}. Plan again with the current tool.`;
      return { code: 'tool_version_changed', message };
    }
    const pinned = { commit: plan.facts.resolvedCommit ?? '', epoch: plan.executionAuthorityEpoch ?? 0 };
    const digest = planDigestOf(seal, pinned);
    const isBound = plan.detail.applyExpected?.resolvedProviderBindingsDigest === run.input.bound?.digest;
    return isBound && digest === plan.planDigest && digest === run.planDigest ? undefined : broken;
  };

/** The check of an apply when it starts: its Capsule was not held since the apply was queued. */
export const createHoldCheck =
  ({ capsules, clock }: { capsules: Pick<CapsulesService, 'getRow'>; clock: Clock }): StartCheck =>
  (run) => {
    const hold = isApplyRun(run) ? findHold(capsules.getRow(run.capsuleId), clock.now()) : undefined;
    return hold && { code: 'capsule_held', message: heldMessage(hold) };
  };
