import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { ServerTool } from '#server/domains/execution/index';
import type { Hostnames, InstallConfigsService } from '#server/domains/install-configs/index';
import { replayedChangeOf } from '#server/domains/install-configs/index';
import type { PlansService } from '#server/domains/plans/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { failedPrecondition } from '#server/kernel/errors';
import type { ConfigurationPlanAnswer, PlanConfiguration } from '#shared/configuration-plans/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import { idPrefix } from '#shared/kernel/id';
import { apiPrefix } from '#shared/vendor';
import { type BlueprintPorts, replaceBlueprints } from './blueprints.ts';
import { type ConfigurationCheckPorts, requireContract, requireDerived, requireFree } from './checks.ts';
import { patchValues, refuseSentinels } from './patch.ts';

export type ConfigurationPlansService = ReturnType<typeof createConfigurationPlansService>;
type PlanConfigurationInput = { capsuleId: string; actorId: string; key: string; body: PlanConfiguration };

type Ports = ConfigurationCheckPorts &
  BlueprintPorts & {
    db: Db;
    vault: Pick<Vault, 'installationKey'>;
    activity: Pick<ActivityService, 'record'>;
    workspaces: Pick<WorkspacesService, 'getHandle'>;
    runs: Pick<RunsService, 'findRecord'>;
    configs: Pick<InstallConfigsService, 'derivedId' | 'requireIntact' | 'succeed'>;
    capsules: Pick<CapsulesService, 'getRow' | 'getCapsule' | 'rebind'>;
    dependencies: Pick<DependenciesService, 'listInjectedVariables'>;
    plans: Pick<PlansService, 'createPlan'>;
    bindings: Pick<ProviderBindingsService, 'requireSound' | 'listDefaults' | 'findBaseDomain' | 'replace'>;
    hostnames: Pick<Hostnames, 'rulesFor'>;
  };

const bindingsField = '/providerBindings';

/**
 * Changes variables, provider bindings and Interfaces of a Capsule. One transaction seals the successor of its configuration, moves the Capsule to it
 * and queues a plan for review. The ids follow from Workspace, Capsule, caller and key, so that a repeated request finds the existing
 * records.
 */
export const createConfigurationPlansService = (ports: Ports) => ({
  /** Returns the result of the same request under the same key; 409 `idempotency_conflict` when the key was used for another request. */
  findPlanned: (input: PlanConfigurationInput): ConfigurationPlanAnswer | undefined => findPlanned(ports, input),

  plan: (input: PlanConfigurationInput & { tool: ServerTool }): { answer: ConfigurationPlanAnswer; isNew: boolean } =>
    ports.db.write(() => {
      const known = findPlanned(ports, input);
      return known ? { answer: known, isNew: false } : { answer: planChange(ports, input), isNew: true };
    }),
});

function idsOf({ configs, capsules }: Ports, { capsuleId, actorId, key }: PlanConfigurationInput) {
  const { workspaceId } = capsules.getRow(capsuleId);
  const seed = canonicalJson(['configuration-plan', workspaceId, capsuleId, actorId, sha256Hex(key)]);
  const targetId = configs.derivedId(seed);
  return { seed, targetId, planRunId: idPrefix.plan + sha256Hex(`plan of ${targetId}`).slice(0, 16) };
}

/** Under a key of the installation, because a short secret could be guessed from a plain digest. */
function requestDigestOf({ vault }: Ports, { body }: PlanConfigurationInput): string {
  const { set, remove } = body.variablePatch;
  const request = { ...body, variablePatch: { set, remove: [...remove].sort() } };
  return `sha256:${hmacHex(vault.installationKey('configuration-plan-digest'), canonicalJson(request))}`;
}

function findPlanned(ports: Ports, input: PlanConfigurationInput): ConfigurationPlanAnswer | undefined {
  const { targetId, planRunId } = idsOf(ports, input);
  const provenance = ports.configs.findProvenance(targetId);
  if (provenance === undefined) return undefined;
  const run = ports.runs.findRecord(planRunId);
  if (!provenance?.receipt || run?.capsuleId !== input.capsuleId) {
    throw failedPrecondition(
      'capsule_configuration_identity_conflict',
      'Another record has the id of this change. Send it again with a new Idempotency-Key.',
    );
  }
  const { receipt, sourceSnapshotId } = provenance;
  const stored = { receipt, targetInstallConfigId: targetId, sourceSnapshotId };
  const replayed = replayedChangeOf(stored, requestDigestOf(ports, input));
  return answerOf(ports, input, { ...replayed, planRunId });
}

const answerOf = (
  { capsules }: Ports,
  { capsuleId }: PlanConfigurationInput,
  configurationPlan: ConfigurationPlanAnswer['configurationPlan'],
): ConfigurationPlanAnswer => ({
  capsule: capsules.getCapsule(capsuleId),
  configurationPlan,
  links: { run: `${apiPrefix}/runs/${configurationPlan.planRunId}` },
});

function planChange(ports: Ports, input: PlanConfigurationInput & { tool: ServerTool }): ConfigurationPlanAnswer {
  const { configs, capsules, plans } = ports;
  const { actorId, body, tool } = input;
  const { variablePatch, providerBindings: bindings, interfaceBlueprints: _blueprints, expected, ...rest } = body;
  nothingLeft(rest);
  refuseSentinels(variablePatch);
  const capsule = capsules.getRow(input.capsuleId);
  ports.configs.requireIntact(capsule.installConfigId);
  requireFree(ports, capsule, expected.authorityGuard);
  const current = requireDerived(ports, capsule);
  const contract = requireContract(ports, capsule, current);
  const { workspaceId } = capsule;
  ports.bindings.requireSound({ workspaceId, bindings, report: contract.report }, bindingsField);
  const defaults = [...ports.bindings.listDefaults(bindings), ...ports.dependencies.listInjectedVariables(capsule.id)];
  const { parts, installer } = replaceBlueprints(ports, { capsule, current, body, actorId });
  const values = patchValues(current, variablePatch, {
    declarations: contract.declarations,
    defaults,
    configured: {
      parts,
      location: locationOf(ports, capsule),
      previous: current.parts.publicHostname,
      hostnames: ports.hostnames.rulesFor(capsule, ports.bindings.findBaseDomain(bindings)),
    },
  });
  const { seed, planRunId } = idsOf(ports, input);
  const previousInstallConfigId = current.id;
  const { id: targetInstallConfigId } = configs.succeed(previousInstallConfigId, {
    seed,
    parts,
    ...values,
    provenance: {
      ...current.provenance,
      ...installer,
      ...contract.pinned,
      receipt: { requestDigest: requestDigestOf(ports, input), previousInstallConfigId },
    },
  });
  capsules.rebind(capsule.id, {
    authorityGuard: expected.authorityGuard,
    installConfigId: targetInstallConfigId,
  });
  ports.bindings.replace(capsule, bindings);
  const { reportId, sourceSnapshotId } = contract.pinned;
  plans.createPlan(capsule.id, { actorId, reportId, tool, runId: planRunId });
  ports.activity.record({
    workspaceId: capsule.workspaceId,
    actorId,
    action: 'capsule.configuration_planned',
    targetType: 'capsule',
    targetId: capsule.id,
    runId: planRunId,
    metadata: { previousInstallConfigId, targetInstallConfigId, sourceSnapshotId, providerBindings: bindings },
  });
  const references = { previousInstallConfigId, targetInstallConfigId, sourceSnapshotId, planRunId };
  return answerOf(ports, input, { replayed: false, ...references });
}

const locationOf = ({ workspaces }: Ports, { name, slug, workspaceId }: CapsuleRow) => ({
  name,
  slug,
  workspaceHandle: workspaces.getHandle(workspaceId),
});
