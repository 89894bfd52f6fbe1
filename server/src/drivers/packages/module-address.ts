import path from 'node:path';
import { PackageError } from './package-error.ts';
import { httpsFormOf, refusedSchemes } from './refused-address.ts';
import { parseRegistryAddress, type RegistryAddress } from './registry-address.ts';
import { joinSub, splitSub } from './sub-folder.ts';

/** A folder of the same package, relative to the calling one. */
type LocalAddress = { kind: 'local'; path: string };
/** A Git repository over HTTPS. `isShallow` is set by `depth`, with which a branch wins over a tag of the same name. */
export type GitAddress = { kind: 'git'; url: string; ref?: string; isShallow: boolean; sub: string };
export type Checksum = { algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'; value: string };
export type ArchiveFormat = 'zip' | 'tar.gz';
/** An archive over HTTPS. Without `format` its first bytes decide. */
export type ArchiveAddress = {
  kind: 'archive';
  url: string;
  format?: ArchiveFormat;
  checksum?: Checksum;
  sub: string;
};
/** An HTTPS address that names the address of the package when it is requested with `?terraform-get=1`. */
export type LookupAddress = { kind: 'lookup'; url: string; sub: string };
/** An address that is never fetched. `httpsForm` is an address of the same repository that is. */
export type RefusedAddress = {
  kind: 'refused';
  code: 'address_invalid' | 'address_not_supported';
  message: string;
  httpsForm?: string;
};
export type RemoteAddress = GitAddress | ArchiveAddress | LookupAddress;
export type ModuleAddress = LocalAddress | RegistryAddress | RemoteAddress | RefusedAddress;

const maxLength = 4_096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const notPlain = /[\s\u0000-\u001f\u007f-\u009f]/;

/**
 * Parses the source of a module call by the rules of the tools (OpenTofu 1.12 with go-getter 1.8). Pure: whether a host
 * may be connected to is decided when it is. An address of the tools that is not fetched here is `refused`.
 */
export function parseModuleAddress(text: string): ModuleAddress {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return { kind: 'refused', code: 'address_invalid', message: error.message };
  }
}

function parse(text: string): ModuleAddress {
  if (text.length > maxLength || !text.isWellFormed()) return invalid('The module address is too long.');
  if (/^\.\.?[/\\]/.test(text)) return { kind: 'local', path: localPath(text) };
  if (text.trim() === '' || notPlain.test(text)) {
    return invalid('The module address is empty, or holds spaces or control characters. Correct it.');
  }
  return parseRegistryAddress(text) ?? parseRemote(text);
}

function localPath(text: string): string {
  const clean = path.posix.normalize(text.replaceAll('\\', '/')).replace(/(.)\/$/, '$1');
  return clean === '..' || clean.startsWith('../') ? clean : `./${clean}`;
}

/** Parses an address of go-getter: its forced scheme, its shorthands, then the URL. */
function parseRemote(text: string): RemoteAddress | RefusedAddress {
  const { address, sub } = splitSub(text);
  const [, forced, plain = ''] = /^(?:([A-Za-z0-9]+)::)?(.+)$/s.exec(address) ?? [];
  const detected = detect(plain);
  const scheme = forced ?? detected.forced ?? /^([a-z][a-z0-9+.-]*):/i.exec(detected.url)?.[1]?.toLowerCase();
  const refusal = refusedSchemes(scheme, detected.url);
  if (refusal) {
    const httpsForm = httpsFormOf(detected.url, sub);
    return { kind: 'refused', code: 'address_not_supported', message: refusal, ...(httpsForm && { httpsForm }) };
  }
  const url = URL.parse(detected.url);
  if (!url) return invalid('The module address is not one that the tool knows. Begin a path with ./ or ../.');
  if (url.username || url.password) {
    return invalid('The module address holds a user name or a password. Remove it and use a connection.');
  }
  if (url.hash) return invalid('The module address has a fragment (#), which is not supported. Remove it.');
  const inner = splitSub(url.href);
  const target = { url: new URL(inner.address), sub: joinSub(inner.sub, sub) };
  return scheme === 'git' ? gitAddress(target) : httpsAddress(target);
}

/** Expands the shorthands of GitHub and Bitbucket, and the form `user@host:path`. */
function detect(plain: string): { url: string; forced?: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(plain)) return { url: plain };
  const [location = '', query] = splitQuery(plain);
  if (/^(?:github\.com|bitbucket\.org)\//.test(location)) {
    const [host, owner, name, ...folders] = location.split('/');
    if (!owner || !name) throw invalidShorthand();
    const folder = folders.length > 0 ? `//${folders.join('/')}` : '';
    const extension = name.endsWith('.git') ? '' : '.git';
    return { url: `https://${host}/${owner}/${name}${extension}${folder}${query}`, forced: 'git' };
  }
  const [, user = '', host, rest] = /^(?:([^@/]+)@)?([^:/]+):\/?(.+)$/.exec(plain) ?? [];
  if (host && user === 'git') return { url: `ssh://git@${host}/${rest}`, forced: 'git' };
  if (/\.googleapis\.com\//.test(location)) return { url: `https://${plain}`, forced: 'gcs' };
  if (/\.amazonaws\.com\//.test(location)) return { url: `https://${plain}`, forced: 's3' };
  return { url: plain };
}

const splitQuery = (text: string): [string, string] => {
  const at = text.indexOf('?');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
};

const invalidShorthand = (): PackageError =>
  new PackageError('address_invalid', 'The module address must name a host, an owner and a repository.');

type Target = { url: URL; sub: string };

function gitAddress({ url, sub }: Target): GitAddress | RefusedAddress {
  const query = url.searchParams;
  if (query.has('sshkey')) return unsupported('The module address carries an SSH key. Use a connection with a token.');
  for (const name of query.keys()) {
    if (name === 'ref' || name === 'depth') continue;
    return unsupported('The address of a Git repository may have the arguments ref and depth only. Remove the others.');
  }
  const ref = query.get('ref') ?? '';
  const isShallow = Number.parseInt(query.get('depth') ?? '0', 10) > 0;
  url.search = '';
  return { kind: 'git', url: url.href.replace(/\/+$/, ''), ...(ref && { ref }), isShallow, sub };
}

/** Formats by their archiveExtensions, as the tool reads them; undefined for those that it reads and this product does not. */
const archiveExtensions = new Map<string, ArchiveFormat | undefined>([
  ['zip', 'zip'],
  ['tar.gz', 'tar.gz'],
  ['tgz', 'tar.gz'],
  ...['bz2', 'gz', 'xz', 'tar.bz2', 'tar.tbz2', 'tar.xz', 'txz'].map((extension) => [extension, undefined] as const),
]);

function httpsAddress({ url, sub }: Target): ArchiveAddress | LookupAddress | RefusedAddress {
  const written = url.searchParams.get('archive') ?? '';
  const extension = written === '' ? extensionOf(url.pathname) : written;
  const checksumText = url.searchParams.get('checksum') ?? '';
  for (const name of ['archive', 'checksum']) if (url.searchParams.has(name)) url.searchParams.delete(name);
  if (extension === undefined || !archiveExtensions.has(extension)) {
    if (checksumText === '') return { kind: 'lookup', url: url.href, sub };
    return invalid('The module address has a checksum, but does not lead to an archive. Remove the checksum.');
  }
  const format = archiveExtensions.get(extension);
  if (!format) return unsupported('The archive of the module has a format that is not supported. Use zip or tar.gz.');
  const checksum = checksumText === '' ? undefined : parseChecksum(checksumText);
  if (checksum === null) {
    return unsupported('The checksum of the module address must be md5, sha1, sha256 or sha512 with hex digits.');
  }
  return { kind: 'archive', url: url.href, format, ...(checksum && { checksum }), sub };
}

const extensionOf = (pathname: string): string | undefined =>
  [...archiveExtensions.keys()]
    .filter((extension) => pathname.endsWith(`.${extension}`))
    .sort((left, right) => right.length - left.length)[0];

const algorithms = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const;

/** Parses `sha256:<hex>`, or hex whose length names the algorithm. Returns null for any other text. */
function parseChecksum(text: string): Checksum | null {
  const [, named, value = ''] = /^(?:([a-z0-9]+):)?([0-9a-f]+)$/.exec(text.toLowerCase()) ?? [];
  for (const [algorithm, length] of Object.entries(algorithms) as [Checksum['algorithm'], number][]) {
    if (value.length === length && (named === undefined || named === algorithm)) return { algorithm, value };
  }
  return null;
}

const invalid = (message: string): RefusedAddress => ({ kind: 'refused', code: 'address_invalid', message });
const unsupported = (message: string): RefusedAddress => ({
  kind: 'refused',
  code: 'address_not_supported',
  message,
});
