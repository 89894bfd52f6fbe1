import type { DependencyInput } from '#server/domains/dependencies/index';
import {
  type CapsuleLocation,
  defaultFor,
  findEndpoint,
  isSettable,
  signInNames,
  type ValueVersion,
} from '#server/domains/install-configs/index';
import type { InputDefault } from '#server/domains/provider-bindings/index';
import { isoTime } from '#server/kernel/clock';
import { canonicalJson } from '#server/kernel/digest';
import type { ActivityEvent } from '#shared/activity/contract';
import type { ValueOrigin } from '#shared/configuration-plans/configuration';
import type { InstallParts } from '#shared/install-configs/parts';
import type { Json, JsonObject } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';

/** Everything that may give a variable of a Capsule its value. */
export type ValueSources = {
  declarations: ReadonlyMap<string, VariableDeclaration>;
  variables: JsonObject;
  parts: InstallParts;
  /** Values of the sign-in that the next plan passes. */
  signIn: JsonObject;
  location: CapsuleLocation;
  dependencies: ReadonlyMap<string, DependencyInput>;
  connectionDefaults: ReadonlyMap<string, InputDefault>;
  /** Names whose default the operator declares although the configuration comes from a manifest. */
  operatorDefaults: ReadonlySet<string>;
  isFromManifest: boolean;
};
type OriginAndValue = { origin: ValueOrigin; value: Json | undefined };

/** The Dependency that feeds a variable in the next plan; an optional one without a producer's state feeds nothing. */
const feedingDependency = ({ dependencies }: ValueSources, name: string): DependencyInput | undefined => {
  const input = dependencies.get(name);
  return input && (input.required || input.hasState) ? input : undefined;
};

/** Returns the value that the next plan passes and its origin; undefined for a value that a person set. */
export function findFixedOrigin(sources: ValueSources, name: string): OriginAndValue | undefined {
  if (signInNames(sources.parts).includes(name))
    return { origin: { kind: 'host', supplies: 'sign_in' }, value: sources.signIn[name] };
  const feeding = feedingDependency(sources, name);
  if (feeding) return { origin: dependencyOrigin(feeding), value: feeding.value };
  if (Object.hasOwn(sources.variables, name)) {
    const origin = configuredOrigin(sources, name);
    return origin && { origin, value: sources.variables[name] };
  }
  const bound = sources.connectionDefaults.get(name);
  const declaration = sources.declarations.get(name);
  if (bound && declaration) return { origin: connectionOrigin(bound), value: bound.value };
  if (declaration?.hasDefault)
    return { origin: { kind: 'module_default' }, value: declaration.default as Json | undefined };
  return { origin: { kind: 'none' }, value: undefined };
}

const dependencyOrigin = (input: DependencyInput): ValueOrigin => ({
  kind: 'dependency',
  dependencyId: input.dependencyId,
  producerCapsuleId: input.producerCapsuleId,
  ...(input.producerName !== undefined && { producerName: input.producerName }),
  outputName: input.outputName,
  mode: input.mode,
  required: input.required,
});

const connectionOrigin = ({ connection: { id, displayName, recipeId } }: InputDefault): ValueOrigin => ({
  kind: 'connection_default',
  connectionId: id,
  ...(displayName !== undefined && { connectionName: displayName }),
  ...(recipeId !== undefined && { recipeId }),
});

/** Origin of a value of the configuration that no person set. */
function configuredOrigin(sources: ValueSources, name: string): ValueOrigin | undefined {
  const { parts, variables, location } = sources;
  const context = parts.installContextVariableMapping?.[name];
  if (context !== undefined) return { kind: 'host', supplies: context };
  const presented = parts.variablePresentation?.find((one) => one.name === name);
  if (!presented) return undefined;
  const byDefault = defaultFor(presented, location);
  const isDefault = byDefault !== undefined && canonicalJson(byDefault) === canonicalJson(variables[name]);
  const source = presented.defaultValue?.source;
  if (isDefault && source !== undefined && source !== 'literal') return { kind: 'host', supplies: source };
  if (isDefault) return { kind: isOperatorDefault(sources, name) ? 'operator_default' : 'manifest_default' };
  if (isSettable(presented)) return undefined;
  if (Object.values(findEndpoint(parts)?.variables ?? {}).includes(name)) return { kind: 'host', supplies: 'address' };
  const isGenerated = parts.generatedSecrets?.some(({ variable }) => variable === name);
  return isGenerated ? undefined : { kind: 'host', supplies: 'operator' };
}

const isOperatorDefault = ({ operatorDefaults, isFromManifest }: ValueSources, name: string): boolean =>
  !isFromManifest || operatorDefaults.has(name);

export type ValueMarks = { isGenerated: boolean; isChangeable: boolean };
type SetBy = ValueMarks & { version: ValueVersion; event: ActivityEvent | undefined };

/**
 * Origin of a value that a person set, from the version of the configuration that first had it. No account is named for
 * a value that only the server can have generated.
 */
export function setOrigin({ version, event, isGenerated, isChangeable }: SetBy): ValueOrigin {
  const at = isoTime(version.createdAt);
  const changed = event?.action === 'capsule.install_config_rebound' ? 're_adoption' : 'configuration_plan';
  const by = version.isFirst ? 'installation' : changed;
  const generated = isGenerated && { generated: true };
  if (isGenerated && !isChangeable) return { kind: 'set', by, at, generated: true };
  if (version.orEarlier) return { kind: 'set', by, at, ...generated, orEarlier: true };
  return {
    kind: 'set',
    by,
    at,
    ...(event?.actorId !== undefined && { accountId: event.actorId }),
    ...(event?.runId !== undefined && { runId: event.runId }),
    ...generated,
  };
}
