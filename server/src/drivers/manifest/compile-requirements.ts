import type { GeneratedSecret, InstallParts } from '#shared/install-configs/parts';
import type { Projection } from '#shared/install-configs/presentation';
import type { RequiredInterface } from '#shared/interfaces/required';
import { vendor } from '#shared/vendor';
import type { Declared, Target } from './compile-known.ts';
import { findBindingFault, isScopeAllowed, type ManifestPolicy } from './compile-policy.ts';
import { named, Refusal } from './refusal.ts';
import type { ManifestInput, ManifestModule, ManifestRequirement } from './versions.ts';

type Delivering = Exclude<ManifestRequirement, { kind: 'interface.consume' }>;
type Oidc = Extract<ManifestRequirement, { kind: 'identity.oidc' }>;
type Endpoint = Extract<ManifestRequirement, { kind: 'http.endpoint' }>;

type Slots = { readonly [slot: string]: string | undefined };

type RequirementsInput = {
  module: ManifestModule;
  declared: Declared;
  policies: readonly ManifestPolicy[];
  /** Variables that the operator sets. */
  reserved: readonly string[];
  baseDomain: string | undefined;
};

const defaultSecret = { bytes: 32, encoding: 'base64url' } as const;
const reservedName = new RegExp(`^(?:PATH|HOME|${vendor.toUpperCase()}_.*|TF_.*)$`);

type Requirements = Pick<InstallParts, 'generatedSecrets' | 'requiredInterfaces'> & {
  targets: Map<string, Target>;
  projections: Projection[];
};

/** Compiles the requirements of a module, with the variables that receive their values. */
export function compileRequirements(input: RequirementsInput): Requirements {
  const requires = input.module.requires ?? [];
  const targets = new Map(requires.flatMap((entry) => (isDelivering(entry) ? targetsOf(entry, input) : [])));
  const generatedSecrets = requires.flatMap(secretOf);
  const requiredInterfaces = requires.flatMap((entry) => consumed(entry, input.policies));
  return {
    targets,
    projections: requires.flatMap((entry): Projection[] => {
      if (entry.kind === 'http.endpoint') return [endpointOf(entry, input.baseDomain)];
      return entry.kind === 'identity.oidc' ? [oidcOf(entry, input.policies)] : [];
    }),
    ...(generatedSecrets.length > 0 && { generatedSecrets }),
    ...(requiredInterfaces.length > 0 && { requiredInterfaces }),
  };
}

const isDelivering = (entry: ManifestRequirement): entry is Delivering => entry.kind !== 'interface.consume';

function targetsOf(entry: Delivering, input: RequirementsInput): [string, Target][] {
  const slots = slotsOf(entry);
  const hasUrl = slots.some(([slot]) => slot === 'url');
  const follows = (slot: string) => hasUrl && slot !== 'url';
  const isNeeded =
    entry.kind === 'http.endpoint' && slots.some(([, name]) => input.declared.get(name)?.hasDefault === false);
  return slots.map(([slot, name]) => {
    requireTarget(entry.kind, name, input);
    return [name, { kind: entry.kind, slot, isDerived: input.baseDomain !== undefined || follows(slot), isNeeded }];
  });
}

/**
 * Returns the variables that receive values. This version cannot deliver values to a running service in another way.
 */
function slotsOf({ kind, deliver }: Delivering): [string, string][] {
  if (deliver.variables) return Object.entries(deliver.variables) as [string, string][];
  throw new Refusal(
    'runtime_binding_unavailable',
    `The requirement ${kind} delivers to runtime bindings, which are not served here.`,
  );
}

function requireTarget(
  kind: Delivering['kind'],
  name: string,
  { declared, module, reserved }: RequirementsInput,
): void {
  if (reservedName.test(name) || reserved.includes(name))
    throw new Refusal(
      'requirement_target_reserved',
      `The ${named('variable', name)} is reserved, so ${kind} cannot be delivered to it.`,
    );
  if (declared.get(name)?.type !== 'string')
    throw new Refusal(
      'requirement_target_invalid',
      `The ${named('variable', name)} is not a variable of type string, so ${kind} cannot be delivered to it.`,
    );
  const input = module.inputs.find((one) => one.name === name);
  if (input && !sharesWith(input, kind))
    throw new Refusal(
      'requirement_target_invalid',
      `The ${named('variable', name)} would take its value from an input and from ${kind}.`,
    );
}

/**
 * Reports whether an input and a delivery may share a variable. A person's value overrides a generated or derived one;
 * nothing overrides the values that pin a sign-in.
 */
const sharesWith = ({ source }: ManifestInput, kind: Delivering['kind']): boolean =>
  source.kind === 'user' && kind !== 'identity.oidc';

function secretOf(entry: ManifestRequirement): GeneratedSecret[] {
  const variable = entry.kind === 'secret.generated' ? entry.deliver.variables?.['value'] : undefined;
  if (entry.kind !== 'secret.generated' || variable === undefined) return [];
  const { bytes = defaultSecret.bytes, encoding = defaultSecret.encoding } = entry;
  return [{ variable, bytes, encoding }];
}

function endpointOf({ deliver }: Endpoint, baseDomain: string | undefined): Projection {
  const { subdomain, url, routePattern }: Slots = deliver.variables ?? {};
  return {
    kind: 'public_endpoint',
    variables: {
      ...(subdomain !== undefined && { subdomain }),
      ...(url !== undefined && { url }),
      ...(routePattern !== undefined && { routePattern }),
    },
    ...(baseDomain !== undefined && { baseDomain }),
  };
}

function oidcOf({ deliver, callbackPath, scopes = ['openid'] }: Oidc, policies: readonly ManifestPolicy[]): Projection {
  if (!scopes.every((scope) => isScopeAllowed(scope, policies)))
    throw new Refusal('oidc_scope_disallowed', 'The sign-in asks for scopes that no policy of this server allows.');
  const { issuerUrl = '', accountsUrl = '', clientId = '', redirectUri = '' }: Slots = deliver.variables ?? {};
  return {
    kind: 'oidc_client',
    variables: { issuerUrl, accountsUrl, clientId, redirectUri },
    callbackPath,
    scopes: [...scopes],
  };
}

function consumed(entry: ManifestRequirement, policies: readonly ManifestPolicy[]): RequiredInterface[] {
  if (entry.kind !== 'interface.consume') return [];
  const { key, permissions, delivery } = entry;
  const { type, version } = entry.interface;
  if (findBindingFault({ permissions, deliveryType: delivery.type }, policies))
    throw new Refusal(
      'requirement_disallowed',
      'The module wants to use an Interface with permissions or a delivery that no policy of this server allows.',
    );
  return [{ key, type, version, permissions: [...permissions], deliveryType: delivery.type }];
}
