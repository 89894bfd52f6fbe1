import type { ConnectionDescription, ConnectionMaterials, Unusable } from '#server/domains/connections/index';
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
/** A Connection as one provider configuration would be served by it, or why it cannot. */
export type ConnectionLookup =
  | { unusable: Unusable }
  | { unusable?: undefined; description: ConnectionDescription; materials: ConnectionMaterials };

export type ResolveBindingsInput = {
  requirements: readonly ProviderRequirement[];
  bindings: readonly ProviderBinding[];
  find: (connectionId: string, providerSource: string) => ConnectionLookup;
  /** Whether a provider cannot do without a Connection. */
  isRequired: (providerSource: string) => boolean;
  policies: readonly CredentialPolicy[];
  /** Whether secret arguments can be given to the block of a provider configuration. */
  takesArguments: (requirement: ProviderRequirement) => boolean;
  /** Names of root variables: all that the module declares, and those that have a value of their own. */
  variables: { declared: readonly string[]; assigned: readonly string[] };
};

/** A provider configuration with the Connection that serves it; `byArguments` when the environment cannot. */
export type SupportedProvider = {
  requirement: ProviderRequirement;
  binding: ProviderBinding;
  description: ConnectionDescription;
  materials: ConnectionMaterials;
  byArguments: boolean;
};

/** How a Run's providers are served. `env` and `files` name those that go into the environment, by Connection. */
export type BindingResolution = {
  resolutions: ProviderResolution[];
  supported: SupportedProvider[];
  /** Defaults for variables of the module that nobody else gives a value. */
  moduleInputs: JsonObject;
  /** Names of a Connection that are claimed by another with another value: arguments stand in for them. */
  contested: ReadonlySet<string>;
  exposedNames: ExposedNames;
  /** Of bindings and Connections; undefined when nothing is bound. */
  digest: string | undefined;
};

/**
 * Decides how each provider configuration of a module is served, by the rules of shapes §16.4: the environment carries
 * what only one Connection claims, arguments of the provider's own block carry the rest, and what neither can carry is
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
    exposedNames: exposedNamesOf(supported, contested, inputs.values),
    digest: digestOfBound(bound),
  };
}

type Usable = Omit<SupportedProvider, 'byArguments'>;

/** Names of the environment that a Connection claims, those of files too. */
export const namesOf = ({ materials }: Pick<Usable, 'materials'>): string[] => [
  ...Object.keys(materials.env),
  ...materials.files.flatMap(({ envName }) => envName ?? []),
];

/** Names that two Connections claim with different values. */
function contestedNames(usable: readonly Usable[]): Set<string> {
  const values = new Map<string, Set<string>>();
  const claim = (name: string, value: string) => values.set(name, (values.get(name) ?? new Set()).add(value));
  for (const { materials } of usable) {
    for (const [name, value] of Object.entries(materials.env)) claim(name, textDigest(value));
    for (const { envName, content } of materials.files)
      if (envName !== undefined) claim(envName, digestOf(content.revealBytes()));
  }
  return new Set([...values].flatMap(([name, claimed]) => (claimed.size > 1 ? [name] : [])));
}

const textDigest = (value: Secret | string): string =>
  digestOf(Buffer.from(typeof value === 'string' ? value : value.reveal()));

/** Whether all that is contested of a Connection fits into the block of this provider configuration. */
const canUseArguments = (
  one: SupportedProvider,
  contested: ReadonlySet<string>,
  input: ResolveBindingsInput,
): boolean =>
  input.takesArguments(one.requirement) &&
  namesOf(one).every((name) => !contested.has(name) || one.materials.coveredNames.includes(name));

function policyBlock(
  { id, expiresAt }: ConnectionDescription,
  policies: readonly CredentialPolicy[],
): PolicyReason | undefined {
  const isRefused = policies.some(
    ({ allowedConnectionIds: allowed, forbiddenConnectionIds: forbidden }) =>
      allowed?.includes(id) === false || forbidden?.includes(id) === true,
  );
  if (isRefused) return 'connection_not_allowed';
  if (expiresAt === undefined && policies.some(({ requireTemporary }) => requireTemporary === true))
    return 'connection_not_temporary';
  // A stored credential ends when its provider says so: this server issues none whose end it could enforce.
  return policies.some(({ requireTtlEnforced }) => requireTtlEnforced === true)
    ? 'connection_ttl_not_enforced'
    : undefined;
}

/** Defaults for declared variables that the installer left alone, and names on which two Connections differ. */
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

/** A name goes into the environment unless the block of its provider carries it. */
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

/** Changes with every tuple, with the Connection that is bound to it and with what that Connection is; not with its status. */
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
