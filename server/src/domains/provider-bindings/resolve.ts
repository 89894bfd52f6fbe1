import {
  type ConnectionDescription,
  type ConnectionMaterials,
  PendingSecret,
  type Unusable,
} from '#server/domains/connections/index';
import { canonicalJson, digestOf, jsonDigest } from '#server/kernel/digest';
import type { Secret } from '#server/kernel/secret';
import type { Json, JsonObject } from '#shared/kernel/json';
import { canonicalSource, isSameSource } from '#shared/kernel/provider-source';
import type { ExposedNames, ProviderBinding } from '#shared/provider-bindings/contract';
import {
  type MissingReason,
  type PolicyReason,
  type ProviderBlockReason,
  type ProviderRequirement,
  type ProviderResolution,
  policyReasons,
} from '#shared/runs/provider-resolution';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { isBindingOf } from './match.ts';

export type CredentialPolicy = NonNullable<PolicyConfig['providerCredentials']>;
/** Result of looking up a Connection for one provider configuration: its materials, or why it cannot be used. */
export type ConnectionLookup =
  | { unusable: Unusable }
  | { unusable?: undefined; description: ConnectionDescription; materials: ConnectionMaterials };

export type ResolveBindingsInput = {
  requirements: readonly ProviderRequirement[];
  bindings: readonly ProviderBinding[];
  find: (connectionId: string, providerSource: string) => ConnectionLookup;
  /** Reports whether a provider requires a Connection. */
  isRequired: (providerSource: string) => boolean;
  policies: readonly CredentialPolicy[];
  /** Reports whether secret arguments can be set in the block of a provider configuration. */
  takesArguments: (requirement: ProviderRequirement) => boolean;
  /** Names of root variables: all that the module declares, and those that have a value of their own. */
  variables: { declared: readonly string[]; assigned: readonly string[] };
};

/** `temporary` credentials have an expiry; that of `enforced` ones is near. */
export type CredentialLifetime = 'any' | 'temporary' | 'enforced';

/** A provider configuration with the Connection that serves it; `byArguments` when the environment cannot. */
export type SupportedProvider = {
  requirement: ProviderRequirement;
  binding: ProviderBinding;
  description: ConnectionDescription;
  materials: ConnectionMaterials;
  byArguments: boolean;
};

/**
 * Resolution of a Run's provider bindings. `env` and `files` name those that go into the environment, by Connection.
 */
export type BindingResolution = {
  resolutions: ProviderResolution[];
  supported: SupportedProvider[];
  /** Defaults for variables of the module that have no other value. */
  moduleInputs: JsonObject;
  /** Names that two Connections claim with different values; arguments replace them. */
  contested: ReadonlySet<string>;
  exposedNames: ExposedNames;
  /** Demand of the policies for credentials that the Run gets when it starts. */
  lifetime: CredentialLifetime;
  /** Digest of bindings and Connections; undefined when nothing is bound. */
  digest: string | undefined;
};

/**
 * Decides which Connection serves each provider configuration of a module and how. Names that only one Connection
 * claims go into the environment; the rest go into arguments of the provider's own block. What neither can carry is
 * blocked.
 */
export function resolveBindings(input: ResolveBindingsInput): BindingResolution {
  const bound = input.requirements.flatMap((requirement) => {
    const binding = input.bindings.find((one) => isBindingOf(one, requirement));
    return binding
      ? [{ requirement, binding, lookup: input.find(binding.connectionId, requirement.providerSource) }]
      : [];
  });
  const usable = bound.flatMap(({ requirement, binding, lookup }) =>
    lookup.unusable === undefined ? [{ requirement, binding, ...lookup }] : [],
  );
  const contested = contestedNames(usable);
  const supported = usable.map((one) => ({ ...one, byArguments: namesOf(one).some((name) => contested.has(name)) }));
  const inputs = inputsOf(supported, input.variables);
  const blockOf = (one: SupportedProvider): PolicyReason | undefined =>
    policyBlock(one.description, input.policies) ??
    (one.byArguments && !canUseArguments(one, contested, input) ? 'credential_env_conflict' : undefined) ??
    (inputs.differing.some((name) => Object.hasOwn(one.materials.moduleInputDefaults, name))
      ? 'module_input_conflict'
      : undefined);
  const resolutions = input.requirements.flatMap((requirement): ProviderResolution[] => {
    const one = supported.find((candidate) => candidate.requirement === requirement);
    if (one) return [resolutionOf(one, blockOf(one))];
    const broken = bound.find((candidate) => candidate.requirement === requirement);
    if (broken?.lookup.unusable)
      return [
        blocked(requirement, `connection_${broken.lookup.unusable}` as MissingReason, broken.binding.connectionId),
      ];
    const isSupportedElsewhere = bound.some(({ requirement: { providerSource } }) =>
      isSameSource(providerSource, requirement.providerSource),
    );
    return isSupportedElsewhere || !input.isRequired(requirement.providerSource)
      ? []
      : [blocked(requirement, 'connection_required')];
  });
  return {
    resolutions,
    supported,
    contested,
    moduleInputs: inputs.values,
    lifetime: lifetimeOf(input.policies),
    exposedNames: exposedNamesOf(supported, contested, inputs.values),
    digest: digestOfBound(bound),
  };
}

type Usable = Omit<SupportedProvider, 'byArguments'>;

/** Returns the environment names that a Connection claims, including those of files. */
export const namesOf = ({ materials }: Pick<Usable, 'materials'>): string[] => [
  ...Object.keys(materials.env),
  ...materials.files.flatMap(({ envName }) => envName ?? []),
];

/** Returns the names that two Connections claim with different values. */
function contestedNames(usable: readonly Usable[]): Set<string> {
  const values = new Map<string, Set<string>>();
  const claim = (name: string, value: string) => values.set(name, (values.get(name) ?? new Set()).add(value));
  for (const { materials } of usable) {
    for (const [name, value] of Object.entries(materials.env)) claim(name, textDigest(value));
    for (const { envName, content } of materials.files) if (envName !== undefined) claim(envName, textDigest(content));
  }
  return new Set([...values].flatMap(([name, claimed]) => (claimed.size > 1 ? [name] : [])));
}

/** Values that are minted for the Run are equal only for the same value of the same Connection. */
function textDigest(value: Secret | string): string {
  if (value instanceof PendingSecret) return value.label;
  return digestOf(typeof value === 'string' ? Buffer.from(value) : value.revealBytes());
}

/** Reports whether the block of this provider configuration can carry every contested name of its Connection. */
const canUseArguments = (
  one: SupportedProvider,
  contested: ReadonlySet<string>,
  input: ResolveBindingsInput,
): boolean =>
  input.takesArguments(one.requirement) &&
  namesOf(one).every((name) => !contested.has(name) || one.materials.coveredNames.includes(name));

function policyBlock(
  { id, expiresAt, action }: ConnectionDescription,
  policies: readonly CredentialPolicy[],
): PolicyReason | undefined {
  const isRefused = policies.some(
    ({ allowedConnectionIds: allowed, forbiddenConnectionIds: forbidden }) =>
      allowed?.includes(id) === false || forbidden?.includes(id) === true,
  );
  if (isRefused) return 'connection_not_allowed';
  // The lifetime of credentials for one Run is known, and checked, when they are issued.
  if (action !== undefined) return undefined;
  if (expiresAt === undefined && policies.some(({ requireTemporary }) => requireTemporary === true))
    return 'connection_not_temporary';
  // A stored credential ends when its provider says so: this server issues none whose expiry it could enforce.
  return policies.some(({ requireTtlEnforced }) => requireTtlEnforced === true)
    ? 'connection_ttl_not_enforced'
    : undefined;
}

function lifetimeOf(policies: readonly CredentialPolicy[]): CredentialLifetime {
  if (policies.some(({ requireTtlEnforced }) => requireTtlEnforced === true)) return 'enforced';
  return policies.some(({ requireTemporary }) => requireTemporary === true) ? 'temporary' : 'any';
}

/**
 * Returns defaults for declared variables that the installer did not set, and names on which two Connections differ.
 */
function inputsOf(
  supported: readonly SupportedProvider[],
  { declared, assigned }: ResolveBindingsInput['variables'],
): { values: JsonObject; differing: string[] } {
  const values: { [name: string]: Json } = {};
  const differing = new Set<string>();
  for (const { materials } of supported) {
    for (const [name, value] of Object.entries(materials.moduleInputDefaults)) {
      if (!declared.includes(name) || assigned.includes(name)) continue;
      if (!Object.hasOwn(values, name)) values[name] = value as Json;
      else if (canonicalJson(values[name]) !== canonicalJson(value)) differing.add(name);
    }
  }
  return { values, differing: [...differing] };
}

function resolutionOf(one: SupportedProvider, reason: PolicyReason | undefined): ProviderResolution {
  const { requirement, description } = one;
  if (reason) return blocked(requirement, reason, description.id);
  return {
    requirement,
    status: 'resolved_provider_connection',
    connectionId: description.id,
    evidence: {
      kind: 'provider_connection',
      provider: requirement.providerSource,
      connectionId: description.id,
      requiredEnvNames: namesOf(one).sort(),
    },
  };
}

const isPolicy = (reason: ProviderBlockReason): boolean => policyReasons.some((one) => one === reason);

const blocked = (
  requirement: ProviderRequirement,
  reason: ProviderBlockReason,
  connectionId?: string,
): ProviderResolution => ({
  requirement,
  status: isPolicy(reason) ? 'blocked_policy' : 'blocked_missing_connection',
  ...(connectionId !== undefined && { connectionId }),
  blockedReason: reason,
  evidence: { kind: 'blocked', provider: requirement.providerSource, reason },
});

/** Reports whether a name goes into the environment: always, unless the block of its provider carries it. */
export const isInEnvironment = (one: SupportedProvider, name: string, contested: ReadonlySet<string>): boolean =>
  !contested.has(name) && !(one.byArguments && one.materials.coveredNames.includes(name));

function exposedNamesOf(
  supported: readonly SupportedProvider[],
  contested: ReadonlySet<string>,
  inputs: JsonObject,
): ExposedNames {
  const envNames = new Set<string>();
  const files = new Map<string, ExposedNames['files'][number]>();
  for (const one of supported) {
    for (const name of namesOf(one)) if (isInEnvironment(one, name, contested)) envNames.add(name);
    for (const { path, envName } of one.materials.files)
      if (envName === undefined || isInEnvironment(one, envName, contested))
        files.set(`${path} ${envName ?? ''}`, { path, ...(envName !== undefined && { envName }) });
  }
  const providers = supported.flatMap(({ requirement: { providerName, alias }, materials, byArguments }) => {
    const named = byArguments ? Object.keys(materials.providerArguments).sort() : [];
    const config = Object.keys(materials.providerConfig).sort();
    if (named.length + config.length === 0) return [];
    return [{ providerName, ...(alias !== undefined && { alias }), arguments: named, config }];
  });
  return { envNames: [...envNames].sort(), files: [...files.values()], providers, moduleInputs: Object.keys(inputs) };
}

type Bound = { requirement: ProviderRequirement; binding: ProviderBinding; lookup: ConnectionLookup };

/**
 * Returns a digest that changes with every tuple, its Connection and the Connection's description, but not with its
 * status.
 */
function digestOfBound(bound: readonly Bound[]): string | undefined {
  if (bound.length === 0) return undefined;
  const lines = bound.map(({ requirement, binding, lookup }) =>
    canonicalJson([
      canonicalSource(requirement.providerSource) ?? requirement.providerSource,
      requirement.providerName,
      requirement.alias ?? null,
      binding.connectionId,
      lookup.unusable === undefined ? lookup.description.digest : null,
    ]),
  );
  return jsonDigest(lines.sort());
}
