import type { PlanRun } from '#server/domains/runs/index';
import type { PlanOutcome } from '#server/runner/index';
import type { PlanDocument } from '#shared/plans/document';
import { similarNamesMessage } from './similar-names.ts';
import type { PlanSeal, PlansStore } from './store.ts';

const lockChanged =
  'The providers of this plan are locked to other versions or packages than those you last approved, and they receive credentials. Review the change of the lock file, then approve.';

const readByProviders =
  'The tool started the providers of this plan itself, also while the plan was read, because the schema of one was not available otherwise. They could have altered the displayed plan. Check the providers, then approve.';

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

/** Programs that were not reviewed must not receive credentials without approval. */
function lockWarnings({ input }: PlanRun, { capsuleId, lockDigest }: PlanSeal, store: WarningPorts): Warning[] {
  const reviewed = input.bound && store.findReviewedLock(capsuleId);
  return reviewed === undefined || reviewed === lockDigest
    ? []
    : [{ code: 'provider_lock_changed', message: lockChanged }];
}

type WarningPorts = Pick<PlansStore, 'findReviewedLock'>;
type ComputedPlan = { outcome: PlanOutcome; seal: PlanSeal; document: PlanDocument };

/** Returns the warnings that a person reads before this plan is applied. Each makes the plan wait for an approval. */
export const planWarnings = (
  run: PlanRun,
  { outcome, seal, document }: ComputedPlan,
  store: WarningPorts,
): Warning[] => [...lockWarnings(run, seal, store), ...readWarnings(outcome), ...nameWarnings(document, outcome)];
