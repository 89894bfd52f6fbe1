import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import {
  type Adoption,
  type Hostnames,
  type InstallConfigsService,
  replayedChangeOf,
  variableContractDigest,
} from '#server/domains/install-configs/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { PreemptCheck } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { canonicalJson, hmacHex, sha256Hex } from '#server/kernel/digest';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import type { InstallParts } from '#shared/install-configs/parts';
import { nothingLeft } from '#shared/kernel/endpoint';
import { manifestCode } from '#shared/manifest/contract';
import type { ReAdopt, ReAdoptionAnswer } from '#shared/re-adoptions/api';
import { conflict, type Movable, type ReAdoptionCheckPorts, requireMovable } from './checks.ts';
import { withOwnBlueprints } from './own-blueprints.ts';
import { reAdoptValues } from './values.ts';

type Ports = ReAdoptionCheckPorts & {
  db: Db;
  vault: Pick<Vault, 'installationKey'>;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'getHandle'>;
  capsules: Pick<CapsulesService, 'getRow' | 'getCapsule' | 'rebind'>;
  configs: Pick<InstallConfigsService, 'derivedId' | 'derive' | 'succeed' | 'digestOf' | 'findBase'>;
  adoption: Pick<Adoption, 'adopt'>;
  bindings: Pick<ProviderBindingsService, 'findSet' | 'listDefaults' | 'findBaseDomain'>;
  hostnames: Pick<Hostnames, 'rulesFor'>;
  dependencies: Pick<DependenciesService, 'listInjectedVariables'>;
  preemptCheck: PreemptCheck;
};
type ReAdoptInput = { capsuleId: string; actorId: string; key: string; body: ReAdopt };
export type ReAdoptionsService = ReturnType<typeof createReAdoptionsService>;

/**
 * Moves a Capsule to another version of its configuration: one transaction seals the successor for the named snapshot and moves the
 * Capsule to it; nothing is planned or run. The id follows from Workspace, Capsule, caller and key, so that a repeated request finds the
 * existing record.
 */
export const createReAdoptionsService = (ports: Ports) => ({
  adopt: (input: ReAdoptInput): ReAdoptionAnswer =>
    ports.db.write(() => findAdopted(ports, input) ?? reAdopt(ports, input)),
});

function idOf(
  { configs, capsules }: Ports,
  { capsuleId, actorId, key }: ReAdoptInput,
): { seed: string; targetId: string } {
  const { workspaceId } = capsules.getRow(capsuleId);
  const seed = canonicalJson(['install-config-re-adoption', workspaceId, capsuleId, actorId, sha256Hex(key)]);
  return { seed, targetId: configs.derivedId(seed) };
}

/** Under a key of the installation, because a short value could be guessed from a plain digest. */
const requestDigestOf = ({ vault }: Ports, { body }: ReAdoptInput): string =>
  `sha256:${hmacHex(vault.installationKey('install-config-re-adoption-digest'), canonicalJson(body))}`;

/** Returns the result of the same request under the same key; 409 `idempotency_conflict` when the key was used for another request. */
function findAdopted(ports: Ports, input: ReAdoptInput): ReAdoptionAnswer | undefined {
  const { targetId } = idOf(ports, input);
  const provenance = ports.configs.findProvenance(targetId);
  if (provenance === undefined) return undefined;
  if (!provenance?.receipt)
    throw conflict('Another record has the id of this change. Send it again with a new Idempotency-Key.');
  const { receipt, sourceSnapshotId } = provenance;
  const stored = { receipt, targetInstallConfigId: targetId, sourceSnapshotId };
  const replayed = replayedChangeOf(stored, requestDigestOf(ports, input));
  return answerOf(ports, input, replayed);
}

type ReAdoptionFacts = Pick<
  ReAdoptionAnswer['installConfigReAdoption'],
  'replayed' | 'previousInstallConfigId' | 'targetInstallConfigId' | 'sourceSnapshotId'
>;

const answerOf = (
  { capsules, configs }: Ports,
  { capsuleId }: ReAdoptInput,
  facts: ReAdoptionFacts,
): ReAdoptionAnswer => ({
  capsule: capsules.getCapsule(capsuleId),
  installConfigReAdoption: {
    ...facts,
    previousInstallConfigDigest: configs.digestOf(facts.previousInstallConfigId),
    targetInstallConfigDigest: configs.digestOf(facts.targetInstallConfigId),
  },
});

function reAdopt(ports: Ports, input: ReAdoptInput): ReAdoptionAnswer {
  const { body, actorId } = input;
  // The reason is only part of the request's digest.
  const { sourceSnapshotId, expected, baseInstallConfigId: _base, reason: _reason, ...values } = body;
  const { reviewedUserVariables: _reviewed, ...rest } = values;
  nothingLeft(rest);
  const capsule = ports.capsules.getRow(input.capsuleId);
  const movable = requireMovable(ports, capsule, body);
  ports.preemptCheck(capsule.id);
  const previousInstallConfigId = movable.current.id;
  const { id: targetInstallConfigId } = sealTarget(ports, { input, capsule, movable });
  const { updatedAt } = ports.capsules.rebind(capsule.id, {
    authorityGuard: expected.authorityGuard,
    installConfigId: targetInstallConfigId,
  });
  ports.activity.record({
    workspaceId: capsule.workspaceId,
    actorId,
    action: 'capsule.install_config_rebound',
    targetType: 'capsule',
    targetId: capsule.id,
    metadata: { previousInstallConfigId, targetInstallConfigId, sourceSnapshotId, hasReason: true },
    createdAt: Date.parse(updatedAt),
  });
  return answerOf(ports, input, { replayed: false, previousInstallConfigId, targetInstallConfigId, sourceSnapshotId });
}

type Target = { input: ReAdoptInput; capsule: CapsuleRow; movable: Movable };

/** Compiles the manifest of the snapshot for a Capsule that adopted a manifest; any other Capsule stays without one. */
function sealTarget(ports: Ports, { input, capsule, movable }: Target): { id: string } {
  const { current, snapshot, row } = movable;
  const declarations = row.report.rootModuleVariableDeclarations ?? [];
  const bindings = ports.bindings.findSet(capsule.id)?.bindings ?? [];
  const start = current.provenance.manifest && recompile(ports, capsule, movable);
  const parts = start?.parts ?? partsFor(current.parts, declarations);
  const location = {
    name: capsule.name,
    slug: capsule.slug,
    workspaceHandle: ports.workspaces.getHandle(capsule.workspaceId),
  };
  const values = reAdoptValues({
    current,
    reviewed: input.body.reviewedUserVariables,
    contract: {
      declarations,
      defaults: [...ports.bindings.listDefaults(bindings), ...ports.dependencies.listInjectedVariables(capsule.id)],
      configured: {
        parts,
        location,
        previous: current.parts.publicHostname,
        hostnames: ports.hostnames.rulesFor(capsule, ports.bindings.findBaseDomain(bindings)),
      },
    },
  });
  const { seed } = idOf(ports, input);
  const provenance = {
    ...current.provenance,
    sourceSnapshotId: snapshot.id,
    ref: snapshot.ref,
    path: snapshot.path,
    reportId: row.id,
    variableContractDigest: variableContractDigest(declarations),
    receipt: {
      requestDigest: requestDigestOf(ports, input),
      previousInstallConfigId: current.id,
      ...(movable.proof && { recoveryProof: movable.proof }),
    },
  };
  if (!start) return ports.configs.succeed(current.id, { seed, provenance, parts, ...values });
  return ports.configs.derive({
    seed,
    workspaceId: capsule.workspaceId,
    name: capsule.name,
    modulePath: current.modulePath,
    provenance: { ...provenance, manifest: start.manifest },
    baseId: start.id,
    parts: start.parts,
    ...values,
  });
}

/** Leaves out inputs of the operator that the module does not declare any more. */
function partsFor(parts: InstallParts, declarations: readonly { name: string }[]): InstallParts {
  const isDeclared = (name: string) => declarations.some((one) => one.name === name);
  const { variablePresentation, generatedSecrets, ...rest } = parts;
  return {
    ...rest,
    ...(variablePresentation && { variablePresentation: variablePresentation.filter(({ name }) => isDeclared(name)) }),
    ...(generatedSecrets && { generatedSecrets: generatedSecrets.filter(({ variable }) => isDeclared(variable)) }),
  };
}

/** Throws 409 where the manifest of the snapshot is missing, broken, or does not fit the module or a policy. */
function recompile({ adoption, configs }: Ports, capsule: CapsuleRow, { current, row }: Movable) {
  const ux = adoption.adopt({
    workspaceId: capsule.workspaceId,
    report: row.report,
    capsuleName: capsule.name,
    installConfigId: current.provenance.manifest?.baseId,
  });
  if (ux.status === 'absent')
    throw failedPrecondition(
      'capsule_configuration_manifest_authority_unavailable',
      'The configuration of this Capsule comes from a manifest, and this snapshot has none for its module. Name a snapshot with a manifest.',
    );
  if (ux.status === 'invalid')
    throw new AppError('repository_install_ux_invalid', ux.message, { details: { diagnosticCode: ux.diagnosticCode } });
  const base = configs.findBase(ux.installConfigId);
  const manifest = base?.provenance?.manifest;
  if (!base || !manifest) throw conflict('The proposal of this snapshot was deleted. Try again.');
  return {
    id: base.id,
    parts: withOwn(base.parts, current, acceptedOf(configs, current)),
    manifest: { ...manifest, acceptedId: base.id },
  };
}

/** Parts of the proposal that the Capsule was installed or adopted from. */
function acceptedOf({ findBase }: Ports['configs'], { provenance }: Movable['current']): InstallParts | undefined {
  const acceptedId = provenance.manifest?.acceptedId;
  return acceptedId === undefined ? undefined : findBase(acceptedId)?.parts;
}

/** Parts of a new proposal with what persons have set for the Capsule. */
function withOwn(
  proposed: InstallParts,
  { parts: current }: Movable['current'],
  accepted: InstallParts | undefined,
): InstallParts {
  // The build that the installer sent, because the manifest of that time had none.
  const ownBuild = accepted?.sourceBuild === undefined ? current.sourceBuild : undefined;
  // A Capsule keeps the actions that it was installed with, whatever the operator has declared since.
  const { interfaceBlueprints = [], lifecycleActions: _declared, ...parts } = withOwnBuild(proposed, ownBuild);
  const blueprints = withOwnBlueprints(interfaceBlueprints, {
    accepted: (accepted ?? current).interfaceBlueprints ?? [],
    current: current.interfaceBlueprints ?? [],
  });
  return {
    ...parts,
    ...(blueprints.length > 0 && { interfaceBlueprints: blueprints }),
    ...(current.lifecycleActions && { lifecycleActions: current.lifecycleActions }),
  };
}

function withOwnBuild(parts: InstallParts, own: InstallParts['sourceBuild']): InstallParts {
  if (own === undefined) return parts;
  if (parts.sourceBuild === undefined || canonicalJson(parts.sourceBuild) === canonicalJson(own))
    return { ...parts, sourceBuild: own };
  throw new AppError(
    'repository_install_ux_invalid',
    'The manifest of this snapshot proposes another build than the one that the Capsule was installed with. Install the module again.',
    { details: { diagnosticCode: manifestCode('source_build_conflict') } },
  );
}
