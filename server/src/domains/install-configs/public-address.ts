import { failedPrecondition } from '#server/kernel/errors';
import type { InstallParts, PublicHostname } from '#shared/install-configs/parts';
import type { Projection } from '#shared/install-configs/presentation';
import type { Json, JsonObject } from '#shared/kernel/json';

/** Names and ids of a Capsule that its generated values follow from. */
export type CapsuleLocation = { name: string; slug: string; workspaceHandle: string };
type Endpoint = Extract<Projection, { kind: 'public_endpoint' }>;

/** Rules for the hostname of one Capsule. */
export type HostnameRules = {
  /** Domain of the Connections that the Capsule is bound to; it precedes the domain of its configuration. */
  boundDomain?: string | undefined;
  /** Throws 409 `app_hostname_unavailable` when the hostname belongs to another service. */
  requireFree: (hostname: string) => void;
  /** Reports whether the operator has proven that the Capsule or its Workspace controls a hostname. */
  isProven: (hostname: string) => boolean;
};
type AddressInput = {
  /** Values that a person sets now. */
  provided: JsonObject;
  /** Values kept from the previous configuration. */
  existing: JsonObject;
  location: CapsuleLocation;
  /** Hostname of the previous configuration. */
  previous?: PublicHostname | undefined;
  hostnames: HostnameRules;
};
type SettledAddress = { added: JsonObject; existing: JsonObject; parts: InstallParts };
type Address = { url: string; subdomain: string; routePattern: string };

const longestLabel = 63;

export const findEndpoint = ({ installExperience }: InstallParts): Endpoint | undefined =>
  installExperience?.projections?.find((one) => one.kind === 'public_endpoint');

/** `https://host[:port]` or `http://…`, as a browser writes an origin. */
export const isOrigin = (text: Json | undefined): text is string =>
  typeof text === 'string' && /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;

/**
 * Returns the variables of the address of a service, and the parts that record its hostname. Under a domain the server assigns the
 * address once; a person may set another one whose hostname is proven. Without a domain a person sets the address. Throws 409
 * `app_hostname_unavailable` and `custom_domain_not_verified`.
 */
export function settleAddress(parts: InstallParts, input: AddressInput): SettledAddress {
  const endpoint = findEndpoint(parts);
  if (!endpoint) return { added: {}, existing: input.existing, parts };
  const baseDomain = input.hostnames.boundDomain ?? endpoint.baseDomain;
  return baseDomain === undefined
    ? { ...enteredAddress(endpoint, input), parts }
    : addressUnder(baseDomain, { parts, endpoint }, input);
}

/** The address that a person enters where no domain is configured; the other variables follow from its URL. */
function enteredAddress({ variables }: Endpoint, { provided, existing }: AddressInput) {
  const { url, subdomain, routePattern } = variables;
  const isMoved = url !== undefined && (Object.hasOwn(provided, url) || !Object.hasOwn(existing, url));
  const followers = [subdomain, routePattern];
  const stays = Object.entries(existing).filter(([name]) => !isMoved || !followers.includes(name));
  const address = url === undefined ? undefined : (provided[url] ?? existing[url]);
  const added = isOrigin(address) ? asVariables(variables, addressOf(address)) : {};
  return { existing: Object.fromEntries(stays) as JsonObject, added };
}

function addressUnder(
  baseDomain: string,
  { parts, endpoint }: { parts: InstallParts; endpoint: Endpoint },
  input: AddressInput,
): SettledAddress {
  const { provided, existing, hostnames } = input;
  const assigned = assignedHostname(baseDomain, parts, input);
  const origin = findCustomOrigin(endpoint, assigned, input) ?? `https://${assigned}`;
  // The checks of values refuse it with the name of its variable.
  if (!isOrigin(origin)) return { added: {}, existing, parts };
  const { hostname: name } = new URL(origin);
  const isCustom = origin !== `https://${assigned}`;
  if (isCustom && !hostnames.isProven(name)) throw notProven(endpoint.variables.url);
  hostnames.requireFree(name);
  const added = asVariables(endpoint.variables, addressOf(origin));
  const other = Object.keys(added).find((one) => Object.hasOwn(provided, one) && provided[one] !== added[one]);
  if (other !== undefined) throw notProven(other);
  const stays = Object.entries(existing).filter(([one]) => !Object.hasOwn(added, one));
  return {
    added,
    existing: Object.fromEntries(stays) as JsonObject,
    parts: withHostname(parts, { name, baseDomain, ...(isCustom && { isCustom }) }),
  };
}

/** An assigned hostname stays while its domain stays, whatever names have changed since. */
function assignedHostname(
  baseDomain: string,
  { managedPublicHostname }: InstallParts,
  { previous, location: { slug, workspaceHandle } }: AddressInput,
): string {
  if (previous && !previous.isCustom && previous.baseDomain === baseDomain) return previous.name;
  const label = managedPublicHostname?.mode === 'vanity' ? slug : `${slug}-${workspaceHandle}`;
  if (label.length <= longestLabel) return `${label}.${baseDomain}`;
  throw failedPrecondition(
    'app_hostname_unavailable',
    `The name of the Capsule and of its Workspace together are longer than the ${longestLabel} characters that a host name has. Choose a shorter name.`,
  );
}

/** Returns an address that a person has set, now or before, and that the server does not assign. */
function findCustomOrigin(
  { variables: { url } }: Endpoint,
  assigned: string,
  { provided, existing, previous }: AddressInput,
): Json | undefined {
  if (url === undefined) return undefined;
  const mayStay = previous === undefined || previous.isCustom === true;
  const origin = provided[url] ?? (mayStay ? existing[url] : undefined);
  return origin === `https://${assigned}` ? undefined : origin;
}

const asVariables = ({ url, subdomain, routePattern }: Endpoint['variables'], address: Address): JsonObject => ({
  ...(url !== undefined && { [url]: address.url }),
  ...(subdomain !== undefined && { [subdomain]: address.subdomain }),
  ...(routePattern !== undefined && { [routePattern]: address.routePattern }),
});

function addressOf(origin: string): Address {
  const { host, hostname } = new URL(origin);
  return { url: origin, subdomain: hostname.split('.')[0] ?? hostname, routePattern: `${host}/*` };
}

/** Records the hostname in the configuration, with the domain that its form shows. */
function withHostname(parts: InstallParts, publicHostname: PublicHostname): InstallParts {
  const { baseDomain } = publicHostname;
  const { installExperience = {} } = parts;
  const projections = installExperience.projections?.map((one) =>
    one.kind === 'public_endpoint' ? { ...one, baseDomain } : one,
  );
  return { ...parts, publicHostname, installExperience: { ...installExperience, ...(projections && { projections }) } };
}

/** Refuses an address whose hostname is not proven. 409 `custom_domain_not_verified`. */
export const notProven = (variable: string | undefined) =>
  failedPrecondition(
    'custom_domain_not_verified',
    'This server assigns the address of the service, and ownership of the hostname of another one is not proven. Leave the address empty, or ask the operator to record a proof.',
    variable === undefined ? {} : { field: `/variables/${variable}` },
  );
