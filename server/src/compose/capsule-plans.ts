import { createConfigurationPlansService, createConfigurationReader } from '../domains/configuration-plans/index.ts';
import { createImportsService } from '../domains/imports/index.ts';
import { createInstallPlansService, createPlanExpiry } from '../domains/install-plans/index.ts';
import { createLateStatesService } from '../domains/late-states/index.ts';
import type { PlansService } from '../domains/plans/index.ts';
import { createReAdoptionsService } from '../domains/re-adoptions/index.ts';
import type { RestoresService } from '../domains/restores/index.ts';
import { createRevisionPlansService } from '../domains/revision-plans/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

type LowerDomains = BaseDomains &
  Omit<RecordDomains, 'stores'> & { plans: PlansService; restores: Pick<RestoresService, 'requestState'> };

/** Builds the domains that install a Capsule or change an installed one. */
export function buildCapsulePlans(context: AppContext, lower: LowerDomains) {
  const { installPlans, revisionPlans } = buildStepwisePlans(context, lower);
  const { db, clock, log, vault } = context;
  const { activity, workspaces, runs, sources, inspection, capsules, configs, adoption, bindings, plans } = lower;
  const { dependencies, hostnames, interfaces, preemptCheck, recovery } = lower;
  const isUpdating = revisionPlans.isUnderWay;
  const configurationPlans = createConfigurationPlansService({
    db,
    vault,
    activity,
    workspaces,
    runs,
    inspection,
    capsules,
    configs,
    bindings,
    hostnames,
    dependencies,
    interfaces,
    plans,
    isUpdating,
  });
  const configurations = createConfigurationReader({
    activity,
    workspaces,
    runs,
    inspection,
    capsules,
    configs,
    bindings,
    dependencies: lower.dependencies,
    findAuthority: lower.issuer.findAuthority,
    isUpdating,
  });
  const reAdoptions = createReAdoptionsService({
    db,
    vault,
    activity,
    workspaces,
    runs,
    sources,
    inspection,
    capsules,
    configs,
    adoption,
    bindings,
    hostnames,
    dependencies,
    preemptCheck,
    recovery,
    isUpdating,
  });
  const { outbox } = lower.shared;
  const { commitCapsule } = installPlans;
  const parts = { ...lower, ...lower.shared, vault, requestRestore: lower.restores.requestState };
  const imports = createImportsService({ ...parts, commitCapsule });
  const lateStates = createLateStatesService(parts);
  const kinds = [installPlans.expiring, revisionPlans.expiring, imports.expiring, lateStates.expiring];
  const planExpiry = createPlanExpiry({ db, outbox, clock, log, workGate: lower.workGate, kinds });
  return {
    installPlans,
    revisionPlans,
    configurationPlans,
    configurations,
    reAdoptions,
    imports,
    lateStates,
    planExpiry,
    commitCapsule,
  };
}

/** Builds the plans that advance step by step; both kinds share one space of idempotency keys. */
function buildStepwisePlans({ db, clock, vault, toolManager }: AppContext, lower: LowerDomains) {
  const { activity, workspaces, runs, sources, inspection, capsules, configs, adoption, bindings, plans } = lower;
  const { dependencies, hostnames } = lower;
  const { cursors, outbox } = lower.shared;
  const installPlans = createInstallPlansService({
    db,
    clock,
    cursors,
    outbox,
    vault,
    toolManager,
    activity,
    workspaces,
    runs,
    sources,
    inspection,
    capsules,
    configs,
    adoption,
    bindings,
    hostnames,
    dependencies,
    plans,
    hasRevisionPlan: (key) => revisionPlans.hasKey(key),
  });
  const revisionPlans = createRevisionPlansService({
    db,
    clock,
    outbox,
    vault,
    toolManager,
    activity,
    workspaces,
    runs,
    sources,
    inspection,
    capsules,
    configs,
    bindings,
    plans,
    hasInstallPlan: installPlans.hasKey,
  });
  return { installPlans, revisionPlans };
}
