import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import {
  type InstallConfigsService,
  type PrivateConfig,
  variableContractDigest,
} from '#server/domains/install-configs/index';
import type { PlansService } from '#server/domains/plans/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { RunsService } from '#server/domains/runs/index';
import type { InspectionService, ReportRow } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { ConfigurationPlanAnswer, PlanConfiguration } from '#shared/configuration-plans/api';
import { idPrefix } from '#shared/kernel/id';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { apiPrefix } from '#shared/vendor';
import { patchValues, refuseSentinels } from './patch.ts';

export type ConfigurationPlans = ReturnType<typeof createConfigurationPlans>;
type PlanConfigurationInput = { capsuleId: string; actorId: string; key: string; body: PlanConfiguration };

type Deps = {
  db: Db;
  vault: Pick<Vault, 'installationKey'>;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'getHandle'>;
  runs: Pick<RunsService, 'findRecord' | 'findActive'>;
  inspection: Pick<InspectionService, 'findNewestReport'>;
  configs: Pick<InstallConfigsService, 'derivedId' | 'findProvenance' | 'getPrivate' | 'requireIntact' | 'succeed'>;
  capsules: Pick<CapsulesService, 'getRow' | 'getCapsule' | 'getGuarded' | 'rebind'>;
  plans: Pick<PlansService, 'createPlan'>;
  bindings: Pick<ProviderBindingsService, 'requireSound' | 'listDefaults' | 'replace'>;
  /** True when an update of the Capsule to a ref is in progress. */
  isUpdating: (capsuleId: string) => boolean;
};

const bindingsField = '/providerBindings';

/**
 * Changes variables and provider bindings of a Capsule. One transaction seals the successor of its configuration, moves the Capsule to it
 * and queues a plan for review. The ids follow from Workspace, Capsule, caller and key, so that a repeated request finds the existing
 * records.
 */
export const createConfigurationPlans = (deps: Deps) => ({
  /** Returns the result of the same request under the same key; 409 `idempotency_conflict` when the key was used for another request. */
  findPlanned: (input: PlanConfigurationInput): ConfigurationPlanAnswer | undefined => findPlanned(deps, input),

  plan: (input: PlanConfigurationInput & { tool: ToolIdentity }): { answer: ConfigurationPlanAnswer; isNew: boolean } =>
    deps.db.write(() => {
      const known = findPlanned(deps, input);
      return known ? { answer: known, isNew: false } : { answer: make(deps, input), isNew: true };
    }),
});

function idsOf({ configs, capsules }: Deps, { capsuleId, actorId, key }: PlanConfigurationInput) {
  const { workspaceId } = capsules.getRow(capsuleId);
  const seed = canonicalJson(['configuration-plan', workspaceId, capsuleId, actorId, sha256Hex(key)]);
  const targetId = configs.derivedId(seed);
  return { seed, targetId, planRunId: idPrefix.plan + sha256Hex(`plan of ${targetId}`).slice(0, 16) };
}

/** Under a key of the installation, because a short secret could be guessed from a plain digest. */
function requestDigestOf({ vault }: Deps, { body }: PlanConfigurationInput): string {
  const { set, remove } = body.variablePatch;
  const request = { ...body, variablePatch: { set, remove: [...remove].sort() } };
  return `sha256:${hmacHex(vault.installationKey('configuration-plan-digest'), canonicalJson(request))}`;
}

function findPlanned(deps: Deps, input: PlanConfigurationInput): ConfigurationPlanAnswer | undefined {
  const { targetId, planRunId } = idsOf(deps, input);
  const provenance = deps.configs.findProvenance(targetId);
  if (provenance === undefined) return undefined;
  const run = deps.runs.findRecord(planRunId);
  if (!provenance?.receipt || run?.capsuleId !== input.capsuleId) {
    throw failedPrecondition(
      'capsule_configuration_identity_conflict',
      'Another record has the id of this change. Send it again with a new Idempotency-Key.',
    );
  }
  if (provenance.receipt.requestDigest !== requestDigestOf(deps, input))
    throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another change. Use a new key.');
  return answerOf(deps, input, {
    replayed: true,
    previousInstallConfigId: provenance.receipt.previousInstallConfigId,
    targetInstallConfigId: targetId,
    sourceSnapshotId: provenance.sourceSnapshotId,
    planRunId,
  });
}

const answerOf = (
  { capsules }: Deps,
  { capsuleId }: PlanConfigurationInput,
  configurationPlan: ConfigurationPlanAnswer['configurationPlan'],
): ConfigurationPlanAnswer => ({
  capsule: capsules.getCapsule(capsuleId),
  configurationPlan,
  links: { run: `${apiPrefix}/runs/${configurationPlan.planRunId}` },
});

function make(deps: Deps, input: PlanConfigurationInput & { tool: ToolIdentity }): ConfigurationPlanAnswer {
  const { configs, capsules, plans } = deps;
  const { actorId, body, tool } = input;
  refuseInterfaces(body);
  refuseSentinels(body.variablePatch);
  const capsule = capsules.getRow(input.capsuleId);
  deps.configs.requireIntact(capsule.installConfigId);
  requireFree(deps, capsule, body.expected.authorityGuard);
  const current = requireDerived(deps, capsule);
  const contract = requireContract(deps, capsule, current);
  const { workspaceId } = capsule;
  const bindings = body.providerBindings;
  deps.bindings.requireSound({ workspaceId, bindings, report: contract.report }, bindingsField);
  const defaults = deps.bindings.listDefaults(bindings);
  const { interfaceBlueprints: _removed, ...parts } = current.parts;
  const values = patchValues(current, body.variablePatch, {
    declarations: contract.declarations,
    defaults,
    configured: { parts, location: locationOf(deps, capsule) },
  });
  const { seed, planRunId } = idsOf(deps, input);
  const previousInstallConfigId = current.id;
  const { id: targetInstallConfigId } = configs.succeed(previousInstallConfigId, {
    seed,
    ...values,
    parts,
    provenance: {
      ...current.provenance,
      ...contract.pinned,
      receipt: { requestDigest: requestDigestOf(deps, input), previousInstallConfigId },
    },
  });
  capsules.rebind(capsule.id, {
    authorityGuard: body.expected.authorityGuard,
    installConfigId: targetInstallConfigId,
  });
  deps.bindings.replace(capsule, bindings);
  const { reportId, sourceSnapshotId } = contract.pinned;
  plans.createPlan(capsule.id, { actorId, reportId, tool, runId: planRunId });
  deps.activity.record({
    workspaceId: capsule.workspaceId,
    actorId,
    action: 'capsule.configuration_planned',
    targetType: 'capsule',
    targetId: capsule.id,
    runId: planRunId,
    metadata: { previousInstallConfigId, targetInstallConfigId, sourceSnapshotId, providerBindings: bindings },
  });
  const references = { previousInstallConfigId, targetInstallConfigId, sourceSnapshotId, planRunId };
  return answerOf(deps, input, { replayed: false, ...references });
}

const locationOf = ({ workspaces }: Deps, { name, slug, workspaceId }: CapsuleRow) => ({
  name,
  slug,
  workspaceHandle: workspaces.getHandle(workspaceId),
});

function refuseInterfaces({ interfaceBlueprints }: PlanConfiguration): void {
  if (interfaceBlueprints.length === 0) return;
  throw new AppError(
    'feature_unavailable',
    'Interfaces are not part of this version yet. Send an empty list of blueprints.',
  );
}

/** Requires that the Capsule still matches the caller's guard and that no work is in progress on it. */
function requireFree(
  { capsules, runs, workspaces, isUpdating }: Deps,
  capsule: CapsuleRow,
  authorityGuard: string,
): void {
  workspaces.requireLive(capsule.workspaceId);
  if (capsules.getGuarded(capsule.id).installConfigReAdoption.authorityGuard !== authorityGuard) {
    throw failedPrecondition(
      'capsule_install_config_rebind_conflict',
      'The Capsule has changed since you read it. Reload and try again.',
    );
  }
  const isClosed = capsule.status === 'destroyed' || capsule.status === 'disabled';
  if (isClosed || runs.findActive(capsule.id) || isUpdating(capsule.id)) {
    throw failedPrecondition(
      'capsule_install_config_rebind_busy',
      'A Run or an update of this Capsule is in progress, or the Capsule is disabled or destroyed. Cancel it or wait for its end.',
    );
  }
  if (capsule.runtimeSafety === 'unknown') {
    throw failedPrecondition(
      'capsule_runtime_unsafe',
      'The last apply of this Capsule did not succeed, so its result is uncertain. Plan and apply it unchanged first.',
    );
  }
}

const authorityInvalid = (message: string) =>
  failedPrecondition('capsule_configuration_generic_authority_invalid', message);

/** The configuration that was created for this Capsule; a shared one is not changed here. */
function requireDerived({ configs }: Deps, capsule: CapsuleRow): PrivateConfig {
  if (configs.findProvenance(capsule.installConfigId)?.sourceId === capsule.sourceId)
    return configs.getPrivate(capsule.installConfigId);
  throw authorityInvalid('The configuration of this Capsule does not belong to its Source. Install the module again.');
}

type Contract = {
  report: ReportRow;
  declarations: readonly VariableDeclaration[];
  pinned: { sourceSnapshotId: string; reportId: string; variableContractDigest: string };
};

/**
 * Declarations that the values are checked against: the variables that the Capsule's own snapshot declares, never those of a newer one.
 * That snapshot is the adopted one, or before the first apply the one its configuration was created for.
 */
function requireContract({ inspection }: Deps, capsule: CapsuleRow, current: PrivateConfig): Contract {
  const { provenance, modulePath } = current;
  const sourceSnapshotId = capsule.adoptedSourceRevision?.sourceSnapshotId ?? provenance.sourceSnapshotId;
  const row = inspection.findNewestReport(sourceSnapshotId, modulePath);
  if (!row || row.sourceId !== capsule.sourceId)
    throw authorityInvalid('The snapshot of this Capsule was not checked for compatibility. Check it, then try again.');
  if (row.report.level !== 'ready') {
    throw failedPrecondition(
      'capsule_configuration_compatibility_not_runnable',
      'The compatibility check found a problem. Repair what the report names, then try again.',
      { compatibilityReportId: row.id },
    );
  }
  const declarations = row.report.rootModuleVariableDeclarations;
  if (!declarations) {
    throw failedPrecondition(
      'capsule_configuration_generic_declarations_invalid',
      'The compatibility report does not list the variables of the module. Check the snapshot again.',
      { compatibilityReportId: row.id },
    );
  }
  const digest = variableContractDigest(declarations);
  const stored = sourceSnapshotId === provenance.sourceSnapshotId ? provenance.variableContractDigest : undefined;
  if (stored !== undefined && stored !== digest) {
    throw failedPrecondition(
      'capsule_configuration_generic_digest_mismatch',
      'The snapshot of this Capsule declares other variables for this tool than when the Capsule was configured. Install the module again.',
    );
  }
  return { report: row, declarations, pinned: { sourceSnapshotId, reportId: row.id, variableContractDigest: digest } };
}
