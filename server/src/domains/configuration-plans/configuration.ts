import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import {
  findSignIn,
  type InstallConfigsService,
  isAdopted,
  isSettable,
  signInNames,
} from '#server/domains/install-configs/index';
import type { FindAuthority } from '#server/domains/issuer/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import { type ReportRow, requirementsOf } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { AppError } from '#server/kernel/errors';
import type { ActivityEvent } from '#shared/activity/contract';
import type {
  CapsuleConfiguration,
  ChangeState,
  ConfigurationInput,
  InputValue,
  ValueOrigin,
} from '#shared/configuration-plans/configuration';
import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { type ConfigurationCheckPorts, requireContract, requireDerived, requireFree } from './checks.ts';
import { findFixedOrigin, setOrigin, type ValueMarks, type ValueSources } from './origins.ts';

type Ports = ConfigurationCheckPorts & {
  activity: Pick<ActivityService, 'listOfCapsule' | 'findCreation'>;
  workspaces: Pick<WorkspacesService, 'getHandle'>;
  configs: Pick<InstallConfigsService, 'requireIntact' | 'getValues' | 'findBase' | 'findValueVersions'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  bindings: Pick<ProviderBindingsService, 'listBindings' | 'listInputDefaults'>;
  dependencies: Pick<DependenciesService, 'listInputs'>;
  findAuthority: FindAuthority;
};

export type ConfigurationReader = ReturnType<typeof createConfigurationReader>;

/** Reads the inputs of Capsules with the origin of each value. */
export const createConfigurationReader = (ports: Ports) => ({
  /** Throws 409 `capsule_install_config_rebind_conflict` for a configuration that was altered in the ledger. */
  read(capsuleId: string): CapsuleConfiguration {
    const capsule = ports.capsules.getRow(capsuleId);
    const { installConfigId } = capsule;
    ports.configs.requireIntact(installConfigId);
    const report = findReport(ports, capsule);
    const providerBindings = ports.bindings.listBindings(capsuleId);
    return {
      capsuleId,
      installConfigId,
      ...(report && { compatibilityReportId: report.id, providerRequirements: requirementsOf(report) }),
      inputs: listInputs(ports, capsule, report?.report.rootModuleVariableDeclarations ?? []),
      change: changeStateOf(ports, capsule),
      providerBindings,
      interfaceBlueprints: ports.configs.getValues(installConfigId).parts.interfaceBlueprints ?? [],
    };
  },
});

/** The newest check of the snapshot that a change would be checked against, also where that check forbids a change. */
function findReport({ configs, inspection }: Ports, capsule: CapsuleRow): ReportRow | undefined {
  const base = configs.findBase(capsule.installConfigId);
  const snapshotId = capsule.adoptedSourceRevision?.sourceSnapshotId ?? base?.provenance?.sourceSnapshotId;
  if (snapshotId === undefined || !base || base.modulePath === null) return undefined;
  const report = inspection.findNewestReport(snapshotId, base.modulePath);
  return report?.sourceId === capsule.sourceId ? report : undefined;
}

/** Runs the checks of a configuration plan without its patch. */
function changeStateOf(ports: Ports, capsule: CapsuleRow): ChangeState {
  const { authorityGuard } = ports.capsules.getGuarded(capsule.id).installConfigReAdoption;
  try {
    requireFree(ports, capsule, authorityGuard);
    requireContract(ports, capsule, requireDerived(ports, capsule));
    return { authorityGuard };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { authorityGuard, refusal: { code: error.details?.reason ?? error.code, message: error.message } };
  }
}

function sourcesOf(
  { configs, bindings, dependencies, workspaces, findAuthority }: Ports,
  { id, name, slug, workspaceId, installConfigId }: CapsuleRow,
  declared: readonly VariableDeclaration[],
): ValueSources & { secretVariables: readonly string[] } {
  const manifest = configs.findProvenance(installConfigId)?.manifest;
  const base = manifest && configs.findBase(manifest.baseId);
  const values = configs.getValues(installConfigId);
  const { authority } =
    (findSignIn(values.parts) && findAuthority({ capsuleId: id, workspaceId, installConfigId })) ?? {};
  const presentedByOperator = base?.parts.variablePresentation ?? [];
  return {
    ...values,
    signIn: authority?.variables ?? {},
    declarations: new Map(declared.map((one) => [one.name, one])),
    location: { name, slug, workspaceHandle: workspaces.getHandle(workspaceId) },
    dependencies: new Map(dependencies.listInputs(id).map((one) => [one.variable, one])),
    connectionDefaults: bindings.listInputDefaults(bindings.listBindings(id)),
    operatorDefaults: new Set(presentedByOperator.flatMap((one) => (one.defaultValue ? [one.name] : []))),
    isFromManifest: manifest !== undefined,
  };
}

/** Declared variables in the order of the module, then names that only the configuration or a Dependency holds. */
function listInputs(ports: Ports, capsule: CapsuleRow, declared: readonly VariableDeclaration[]): ConfigurationInput[] {
  const sources = sourcesOf(ports, capsule, declared);
  const { declarations, variables, dependencies, parts, secretVariables } = sources;
  const names = [...new Set([...declarations.keys(), ...Object.keys(variables), ...dependencies.keys()])];
  const fixed = new Map(names.map((name) => [name, findFixedOrigin(sources, name)]));
  const originOf = setOriginsOf(
    ports,
    capsule,
    names.filter((name) => fixed.get(name) === undefined),
  );
  return names.map((name) => {
    const declaration = declarations.get(name);
    const presentation = parts.variablePresentation?.find((one) => one.name === name);
    const isSecret = declaration?.sensitive === true || secretVariables.includes(name) || presentation?.secret === true;
    const isGenerated = parts.generatedSecrets?.some(({ variable }) => variable === name) === true;
    const isSignIn = signInNames(parts).includes(name);
    const isChangeable = !isSignIn && (presentation ? isSettable(presentation) : !isAdopted(parts));
    const { origin, value } = fixed.get(name) ?? {
      origin: originOf(name, { isGenerated, isChangeable }),
      value: variables[name],
    };
    return {
      name,
      ...(declaration && { declaration }),
      ...(presentation && { presentation }),
      required: presentation?.required === true || declaration?.hasDefault === false,
      secret: isSecret || isGenerated,
      changeable: isChangeable,
      configured: Object.hasOwn(variables, name),
      value: shownValue({
        value,
        origin,
        isSecret: isSecret || isGenerated,
        hasState: dependencies.get(name)?.hasState,
      }),
      origin,
    };
  });
}

type Shown = { value: Json | undefined; origin: ValueOrigin; isSecret: boolean; hasState: boolean | undefined };

function shownValue({ value, origin, isSecret, hasState }: Shown): InputValue {
  if (origin.kind === 'none') return { status: 'not_set' };
  if (origin.kind === 'dependency' && value === undefined) return { status: hasState ? 'hidden' : 'not_set' };
  if (isSecret) return { status: 'hidden' };
  return value === undefined ? { status: 'unknown' } : { status: 'shown', value };
}

const changeActions = ['capsule.configuration_planned', 'capsule.install_config_rebound'] as const;

/** Returns a function that names the account and time of the change that a value is from. */
function setOriginsOf({ configs, activity }: Ports, capsule: CapsuleRow, names: readonly string[]) {
  const { id: capsuleId, workspaceId, installConfigId } = capsule;
  const versions = configs.findValueVersions(installConfigId, names);
  const isChanged = [...versions.values()].some(({ isFirst, orEarlier }) => !isFirst && !orEarlier);
  const events = isChanged ? activity.listOfCapsule({ workspaceId, capsuleId, actions: changeActions }) : [];
  const byTarget = new Map(events.map((event) => [event.metadata['targetInstallConfigId'], event]));
  let creation: ActivityEvent | undefined;
  return (name: string, marks: ValueMarks): ValueOrigin => {
    const version = versions.get(name);
    if (!version) return { kind: 'none' };
    if (version.isFirst) creation ??= activity.findCreation(workspaceId, capsuleId);
    return setOrigin({ version, event: version.isFirst ? creation : byTarget.get(version.id), ...marks });
  };
}
