import { z } from 'zod';
import type { Secret } from '#server/kernel/secret';
import { bounds } from './bounds.ts';
import { type ModuleAddress, parseModuleAddress, type RemoteAddress } from './module-address.ts';
import { PackageError } from './package-error.ts';
import { type Answer, failureOfStatus, type PackageHttp, wholeBody } from './package-http.ts';
import { type RegistryAddress, registryName } from './registry-address.ts';
import { readConstraint, selectVersion } from './select-version.ts';
import { joinSub } from './sub-folder.ts';

/** Location of a version: an address as in a module call, or a URL of the registry itself. */
export type RegistryLocation = { version: string; isPrivate: boolean } & (
  | { kind: 'indirect'; address: RemoteAddress }
  | { kind: 'direct'; url: string; sub: string; tokenHost?: string }
);
export type RegistryRequest = {
  address: RegistryAddress;
  constraint: string | undefined;
  token: Secret | undefined;
};

export const registryPeer = { server: 'module registry', address: 'module registry' };
const service = 'modules.v1';

/** Selects a version of a registry module and finds its location (module registry protocol). Throws `PackageError`. */
export async function locateModule(http: PackageHttp, request: RegistryRequest): Promise<RegistryLocation> {
  const constraint = readConstraint(request.constraint);
  const registry = await discover(http, request);
  const version = selectVersion(await listVersions(registry, request.address), constraint);
  const answer = await registry.get(`${version}/download`, bounds.documentBytes);
  if (answer.status === 404) throw invalid('lists a version that it does not have. Choose another version');
  const location = await locationOf(answer);
  const found = { version, isPrivate: registry.hasToken };
  if (location.mode === 'indirect') {
    return { ...found, kind: 'indirect', address: remoteAddress(location.text, answer.url, request.address.sub) };
  }
  const url = URL.parse(location.text, answer.url);
  if (url?.protocol !== 'https:' || url.hash) throw invalid('names an address of the module that is not https://');
  const tokenHost = location.mode === 'direct with token' ? { tokenHost: request.address.host } : {};
  return { ...found, kind: 'direct', url: url.href, sub: request.address.sub, ...tokenHost };
}

/** Requests below the service of one module. `get` fails for every status but 200, 204 and 404. */
type Registry = { hasToken: boolean; get: (path: string, maxBytes: number) => Promise<Answer> };

const discoveryShape = z.looseObject({ [service]: z.string().max(2_048).optional() });

async function discover(http: PackageHttp, { address, token }: RegistryRequest): Promise<Registry> {
  const root = new URL(`https://${address.host}/.well-known/terraform.json`);
  const answer = await http.get(root, { maxBytes: bounds.documentBytes, headers: { accept: json }, token });
  if (answer.status === 404) throw noService();
  const failure = failureOfStatus(answer.status, registryPeer, token !== undefined);
  if (failure) throw failure;
  const services = discoveryShape.safeParse(await readJson(answer));
  const base = services.success ? services.data[service] : undefined;
  if (base === undefined) throw noService();
  const url = URL.parse(base.endsWith('/') ? base : `${base}/`, answer.url);
  if (url?.protocol !== 'https:') throw invalid('names an address of its service that is not https://');
  // Another host may offer the service, but the token was entered for this one.
  const ownToken = url.host === root.host ? token : undefined;
  return {
    hasToken: token !== undefined,
    get: async (path, maxBytes) => {
      const target = new URL(`${registryName(address)}/${path}`, url);
      const response = await http.get(target, { maxBytes, headers: { accept: json }, token: ownToken });
      const error = failureOfStatus(response.status, registryPeer, ownToken !== undefined);
      if (error && response.status !== 404) throw token && !ownToken ? elsewhere(error) : error;
      return response;
    },
  };
}

const json = 'application/json';

const versionsShape = z.looseObject({
  modules: z
    .array(
      z.looseObject({
        versions: z
          .array(z.looseObject({ version: z.string() }))
          .max(bounds.versions)
          .nullish(),
      }),
    )
    .min(1),
});

async function listVersions(registry: Registry, address: RegistryAddress): Promise<string[]> {
  const answer = await registry.get('versions', bounds.versionsBytes);
  if (answer.status === 404) {
    const message = `The module registry ${address.host} has no module of this name. Check the address.`;
    throw new PackageError('module_not_found', message);
  }
  const list = versionsShape.safeParse(await readJson(answer));
  if (!list.success) throw invalid('lists versions in a form that the protocol does not have');
  return (list.data.modules[0]?.versions ?? []).map(({ version }) => version);
}

const locationShape = z.looseObject({
  location: z.string().max(8_192).optional(),
  use_registry_credentials: z.boolean().optional(),
});

type Location = { mode: 'indirect' | 'direct' | 'direct with token'; text: string };

/** Reads the location from the body, or from the header `X-Terraform-Get` when there is none. */
async function locationOf(answer: Answer): Promise<Location> {
  const header = answer.headers['x-terraform-get'];
  const fromHeader: Location = { mode: 'indirect', text: typeof header === 'string' ? header : '' };
  if (answer.status === 204) return present(fromHeader);
  const body = locationShape.safeParse(await readJson(answer));
  if (!body.success) throw invalid('sends the location of the module in a form that the protocol does not have');
  const { location = '', use_registry_credentials: isDirect } = body.data;
  if (isDirect === undefined) return present(location === '' ? fromHeader : { mode: 'indirect', text: location });
  return present({ mode: isDirect ? 'direct with token' : 'direct', text: location });
}

function present(location: Location): Location {
  if (location.text === '') throw invalid('sends no location of the module');
  return location;
}

function remoteAddress(text: string, base: URL, sub: string): RemoteAddress {
  const isRelative = /^(?:\/|\.\/|\.\.\/)/.test(text);
  const address: ModuleAddress = parseModuleAddress(isRelative ? (URL.parse(text, base)?.href ?? '') : text);
  if (address.kind === 'refused')
    throw new PackageError(address.code, `A module registry leads elsewhere. ${address.message}`);
  if (address.kind === 'local' || address.kind === 'registry') throw invalid('sends a location that is not an address');
  return { ...address, sub: joinSub(address.sub, sub) };
}

async function readJson(answer: Answer): Promise<unknown> {
  const text = (await wholeBody(answer)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('does not answer in JSON');
  }
}

const invalid = (what: string): PackageError =>
  new PackageError('registry_invalid', `The module registry ${what}. Report it to its operator.`);

const noService = (): PackageError =>
  new PackageError('registry_invalid', 'The host of the module address is not a module registry. Check the address.');

const elsewhere = (error: PackageError): PackageError =>
  error.code === 'credential_required'
    ? new PackageError(
        'credential_required',
        'The module registry has its service on another host, which asks for a token. A token is sent to the host of the module address only.',
      )
    : error;
