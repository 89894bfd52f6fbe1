import { randomBytes } from 'node:crypto';
import { failedPrecondition } from '#server/kernel/errors';
import type { GeneratedSecret, InstallParts } from '#shared/install-configs/parts';
import type { Projection, VariablePresentation } from '#shared/install-configs/presentation';
import type { Json, JsonObject } from '#shared/kernel/json';

/** Names and ids of a Capsule that its generated values follow from. */
export type CapsuleLocation = { name: string; slug: string; workspaceHandle: string };
type SettleValuesInput = {
  parts: InstallParts;
  /** Values that a person sets now. */
  provided: JsonObject;
  /** Values kept from the previous configuration. */
  existing?: JsonObject;
  location: CapsuleLocation;
};
type Endpoint = Extract<Projection, { kind: 'public_endpoint' }>;

const longestLabel = 63;

export const isSettable = ({ source = 'user' }: VariablePresentation): boolean => source === 'user';
export const findEndpoint = ({ installExperience }: InstallParts): Endpoint | undefined =>
  installExperience?.projections?.find((one) => one.kind === 'public_endpoint');

/**
 * Returns the values of a configuration with those that the server adds: names of the Capsule, its address, and secrets generated once.
 * Kept values stay the same, so that a later plan passes the same values to the module. 409 `app_hostname_unavailable` or
 * `custom_domain_not_verified`.
 */
export function settleValues({ parts, provided, existing = {}, location }: SettleValuesInput): JsonObject {
  const named = (parts.variablePresentation ?? []).flatMap((one) => {
    const value = defaultFor(one, location);
    return value === undefined ? [] : [[one.name, value] as const];
  });
  const endpoint = findEndpoint(parts);
  const reachable = endpoint ? endpointValues(endpoint, { provided, existing, location }) : { existing, added: {} };
  const settled: JsonObject = { ...Object.fromEntries(named), ...reachable.added, ...reachable.existing, ...provided };
  const secrets = (parts.generatedSecrets ?? []).filter(({ variable }) => !Object.hasOwn(settled, variable));
  requireReached(parts, settled);
  return { ...settled, ...Object.fromEntries(secrets.map((secret) => [secret.variable, generate(secret)])) };
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

type Values = { provided: JsonObject; existing: JsonObject; location: CapsuleLocation };

function endpointValues(endpoint: Endpoint, values: Values): { existing: JsonObject; added: JsonObject } {
  const { url, subdomain, routePattern } = endpoint.variables;
  const asVariables = (address: { url: string; subdomain: string; routePattern: string }): JsonObject => ({
    ...(url !== undefined && { [url]: address.url }),
    ...(subdomain !== undefined && { [subdomain]: address.subdomain }),
    ...(routePattern !== undefined && { [routePattern]: address.routePattern }),
  });
  if (endpoint.baseDomain !== undefined) {
    const added = asVariables(assignedAddress(endpoint.baseDomain, values.location));
    requireAssigned(added, values.provided);
    return { existing: values.existing, added };
  }
  const { provided, existing } = values;
  const isMoved = url !== undefined && (Object.hasOwn(provided, url) || !Object.hasOwn(existing, url));
  const followers = [subdomain, routePattern];
  const stays = Object.fromEntries(Object.entries(existing).filter(([name]) => !isMoved || !followers.includes(name)));
  const address = url === undefined ? undefined : (provided[url] ?? existing[url]);
  return {
    existing: stays as JsonObject,
    added: typeof address === 'string' && isOrigin(address) ? asVariables(addressOf(address)) : {},
  };
}

function assignedAddress(baseDomain: string, { slug, workspaceHandle }: CapsuleLocation) {
  const subdomain = `${slug}-${workspaceHandle}`;
  if (subdomain.length <= longestLabel) {
    const host = `${subdomain}.${baseDomain}`;
    return { url: `https://${host}`, subdomain, routePattern: `${host}/*` };
  }
  throw failedPrecondition(
    'app_hostname_unavailable',
    `The name of the Capsule and of its Workspace together are longer than the ${longestLabel} characters that a host name has. Choose a shorter name.`,
  );
}

/** Refuses a custom address: it needs a proof of ownership that this version cannot record. */
function requireAssigned(assigned: JsonObject, provided: JsonObject): void {
  const other = Object.keys(assigned).find(
    (name) => Object.hasOwn(provided, name) && provided[name] !== assigned[name],
  );
  if (other === undefined) return;
  throw failedPrecondition(
    'custom_domain_not_verified',
    `This server assigns the address of the service, and ownership of another one is not verified. Leave "${other}" empty.`,
    { field: `/variables/${other}` },
  );
}

/** `https://host[:port]` or `http://…`, as a browser writes an origin. */
export const isOrigin = (text: Json | undefined): boolean =>
  typeof text === 'string' && /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;

function addressOf(origin: string) {
  const { host, hostname } = new URL(origin);
  return { url: origin, subdomain: hostname.split('.')[0] ?? hostname, routePattern: `${host}/*` };
}
