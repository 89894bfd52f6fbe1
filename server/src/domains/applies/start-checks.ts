import type { Refusal, StartCheck } from '#server/domains/execution/index';
import { type PlansStore, planDigestOf } from '#server/domains/plans/index';
import type { CapsuleRunInput, RunsService } from '#server/domains/runs/index';
import { isApplyType } from '#shared/runs/contract';

type Ports = {
  store: Pick<PlansStore, 'findSeal'>;
  runs: Pick<RunsService, 'getRecord' | 'findNewerPlan'>;
};

const broken: Refusal = {
  code: 'plan_seal_mismatch',
  message: 'The reviewed plan does not match its seal any more. Plan again.',
};

/** The check of an apply when it starts: its plan is the newest one and still is what was reviewed. */
export const createSealCheck =
  ({ store, runs }: Ports): StartCheck =>
  (run, tool) => {
    if (!isApplyType(run.type)) return undefined;
    const plan = runs.getRecord(run.planRunId ?? '');
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
    const { bound } = run.input as CapsuleRunInput;
    const isBound = plan.detail.applyExpected?.resolvedProviderBindingsDigest === bound?.digest;
    return isBound && digest === plan.planDigest && digest === run.planDigest ? undefined : broken;
  };
