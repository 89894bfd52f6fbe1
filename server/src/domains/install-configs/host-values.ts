import { randomBytes } from 'node:crypto';
import { failedPrecondition } from '#server/kernel/errors';
import type { GeneratedSecret, InstallParts, PublicHostname } from '#shared/install-configs/parts';
import type { VariablePresentation } from '#shared/install-configs/presentation';
import type { Json, JsonObject } from '#shared/kernel/json';
import { type CapsuleLocation, type HostnameRules, settleAddress } from './public-address.ts';

type SettleValuesInput = {
  parts: InstallParts;
  /** Values that a person sets now. */
  provided: JsonObject;
  /** Values kept from the previous configuration. */
  existing?: JsonObject;
  location: CapsuleLocation;
  /** Hostname of the previous configuration. */
  previous?: PublicHostname | undefined;
  hostnames: HostnameRules;
};

export const isSettable = ({ source = 'user' }: VariablePresentation): boolean => source === 'user';

/**
 * Returns the values of a configuration with those that the server adds: names of the Capsule, its address, and secrets generated once.
 * Kept values stay the same, so that a later plan passes the same values to the module. The parts record the hostname. 409
 * `app_hostname_unavailable` or `custom_domain_not_verified`.
 */
export function settleValues({ parts, provided, existing = {}, ...facts }: SettleValuesInput): {
  variables: JsonObject;
  parts: InstallParts;
} {
  const { location } = facts;
  const named = (parts.variablePresentation ?? []).flatMap((one) => {
    const value = defaultFor(one, location);
    return value === undefined ? [] : [[one.name, value] as const];
  });
  const address = settleAddress(parts, { provided, existing, ...facts });
  const settled: JsonObject = { ...Object.fromEntries(named), ...address.added, ...address.existing, ...provided };
  const secrets = (parts.generatedSecrets ?? []).filter(({ variable }) => !Object.hasOwn(settled, variable));
  requireReached(parts, settled);
  const generated = Object.fromEntries(secrets.map((secret) => [secret.variable, generate(secret)]));
  return { variables: { ...settled, ...generated }, parts: address.parts };
}

function requireReached({ variablePresentation = [] }: InstallParts, settled: JsonObject): void {
  const left = variablePresentation.find(
    ({ name, source, required }) => source === 'host' && required && !Object.hasOwn(settled, name),
  );
  if (!left) return;
  throw failedPrecondition(
    'app_hostname_unavailable',
    `The module needs the address of its service in the variable "${left.name}", and no address is configured. Enter one, or ask the operator to configure a domain.`,
  );
}

/** Returns the generated value of a variable that is not set; a literal default of the module takes precedence. */
export function defaultFor(
  presented: VariablePresentation,
  { name, slug, workspaceHandle }: CapsuleLocation,
): Json | undefined {
  const { defaultValue } = presented;
  if (defaultValue?.source === 'literal') return isSettable(presented) ? (defaultValue.value as Json) : undefined;
  if (defaultValue?.source === 'capsule_name') return name;
  return defaultValue?.source === 'workspace_scoped_capsule_name' ? `${workspaceHandle}-${slug}` : undefined;
}

const generate = ({ bytes, encoding }: GeneratedSecret): string => randomBytes(bytes).toString(encoding);
