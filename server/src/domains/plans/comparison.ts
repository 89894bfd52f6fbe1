import { isPlanRun, type PlanRun, type RunsService } from '#server/domains/runs/index';
import { isoTime } from '#server/kernel/clock';
import { AppError, failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import type { InputChanges, InputDifferences, PlanComparison } from '#shared/plans/comparison';
import type { PlanDocument, PlanPage } from '#shared/plans/document';
import { isApplyType } from '#shared/runs/contract';
import { comparePlans } from './compare-plans.ts';
import { compareBindings, compareInputs } from './input-differences.ts';
import { type RunInputPorts, readConfigInputs, readRunInputs } from './run-inputs.ts';
import type { SealedDigests } from './sealed-digests.ts';
import { restoreDigests } from './sensitive-digests.ts';
import type { PlansStore } from './store.ts';
import { withoutPlan } from './without-plan.ts';

type Deps = RunInputPorts & {
  runs: Pick<RunsService, 'getRecord'>;
  store: Pick<PlansStore, 'findDocument' | 'findAppliedBefore'>;
  sealedDigests: Pick<SealedDigests, 'find'>;
};

type Compared = Omit<PlanComparison, 'resourceCount' | 'nextAfter'>;

/** Compares plans of one Capsule, and the inputs of a plan with those that were last applied. */
export function createPlanComparison(deps: Deps) {
  const { runs, store, configs, sealedDigests } = deps;

  /** Returns a plan; an apply stands for the plan that it applies. */
  function getPlan(runId: string): PlanRun {
    const run = runs.getRecord(runId);
    const plan = isApplyType(run.type) && run.planRunId !== null ? runs.getRecord(run.planRunId) : run;
    if (!isPlanRun(plan)) throw notFound('plan: this Run has none');
    return plan;
  }

  function readDocument(run: PlanRun): PlanDocument {
    const document = store.findDocument(run.id);
    if (!document) throw withoutPlan(run);
    return restoreDigests(document, sealedDigests.find(run));
  }

  /** The comparison whose next page is read next. Stored plans never change, and comparing large ones takes a second. */
  let unfinished: { key: string; compared: Compared } | undefined;

  function compareWhole(earlier: PlanRun, later: PlanRun): Compared {
    const key = `${earlier.id} ${later.id}`;
    if (unfinished?.key === key) return unfinished.compared;
    const documents = { earlier: readDocument(earlier), later: readDocument(later) };
    const compared = {
      earlier: comparedOf(earlier, documents.earlier),
      later: comparedOf(later, documents.later),
      ...comparePlans(documents.earlier, documents.later),
      ...differences(earlier, later),
    };
    unfinished = { key, compared };
    return compared;
  }

  const differences = (before: PlanRun, after: PlanRun): InputDifferences => ({
    inputs: compareInputs(readInputs(before), readInputs(after)),
    bindings: compareBindings(before.detail.providerResolutions ?? [], after.detail.providerResolutions ?? []),
  });

  const readInputs = (run: PlanRun) => orDamaged(() => readRunInputs(run, deps));

  return {
    /** 404 for a plan of another Workspace, 400 `invalid_argument` for one of another Capsule, or for twice the same one. */
    comparePlans(runId: string, otherId: string, { after = 0, limit }: PlanPage): PlanComparison {
      const [one, other] = [getPlan(runId), getPlan(otherId)];
      if (one.workspaceId !== other.workspaceId) throw notFound('Run');
      if (one.id === other.id || one.capsuleId !== other.capsuleId) {
        const message = 'The query `with` must name another plan of the same Capsule.';
        throw invalidArgument('plan_not_comparable', message, { field: '/with' });
      }
      const [earlier, later] = one.seq < other.seq ? [one, other] : [other, one];
      const { resources, ...compared } = compareWhole(earlier, later);
      const end = after + limit;
      const hasMore = end < resources.length;
      if (!hasMore) unfinished = undefined;
      return {
        ...compared,
        resources: resources.slice(after, end),
        resourceCount: resources.length,
        ...(hasMore && { nextAfter: end }),
      };
    },

    /** Compares with the plan that was last applied before, or before the first apply with the previous configuration. */
    getInputChanges(runId: string): InputChanges {
      const plan = getPlan(runId);
      const appliedId = store.findAppliedBefore(plan.capsuleId, plan.seq);
      const applied = appliedId === undefined ? undefined : runs.getRecord(appliedId);
      if (applied && isPlanRun(applied))
        return { against: { kind: 'applied', runId: applied.id }, ...differences(applied, plan) };
      const { installConfigId } = plan.input;
      const previousId = configs.getPrivate(installConfigId).provenance.receipt?.previousInstallConfigId;
      if (previousId === undefined) return { against: { kind: 'nothing' }, inputs: [], bindings: [] };
      const read = (id: string) => orDamaged(() => readConfigInputs(id, deps));
      const inputs = compareInputs(read(previousId), read(installConfigId));
      return { against: { kind: 'previous_configuration' }, inputs, bindings: [] };
    },
  };
}

const comparedOf = (run: PlanRun, { summary }: PlanDocument): PlanComparison['earlier'] => ({
  runId: run.id,
  createdAt: isoTime(run.createdAt),
  ...(run.facts.resolvedCommit !== undefined && { resolvedCommit: run.facts.resolvedCommit }),
  summary,
});

/** Reads sealed inputs. Throws 409 for ones that cannot be opened, because they were damaged in the ledger. */
function orDamaged<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw failedPrecondition('plan_not_available', 'The stored inputs of this plan are damaged. Plan again.');
  }
}
