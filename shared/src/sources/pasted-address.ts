import { isRelativePath } from '../relative-path.ts';
import { readCopyAddress } from './copy-address.ts';
import { isGitRef } from './git-address.ts';

/** Parsed address that a person pasted. `ref` and `path` are present only when the text names them. */
type PastedAddress = {
  url: string;
  ref?: string;
  path?: string;
  /** True for an SSH address; `url` is then the https address of the same repository. */
  wasSsh: boolean;
};

const scpLike = /^(?:([\w.-]+)@)?([\w.-]+\.[\w.-]+):(?!\/\/)([^\\]+)$/;
const bareHost = /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?\/\S+$/i;
const windowsPath = /^[a-z]:[\\/]/i;

/**
 * Parses what people paste as a repository: an https URL, `git@host:path`, `ssh://…`, the tree or file URL of a code
 * host, a packed `git::…//path?ref=…`, an address without scheme, an absolute path, or the address of an installable
 * copy. Pure; `parseGitUrl` decides whether another address may be used. Undefined for other text.
 */
export function readPastedAddress(text: string): PastedAddress | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || /\s/.test(trimmed.replace(/^\/.*$/, ''))) return undefined;
  if (trimmed.startsWith('/')) return { url: fileUrl(trimmed), wasSsh: false };
  if (windowsPath.test(trimmed)) return { url: fileUrl(`/${trimmed.replaceAll('\\', '/')}`), wasSsh: false };
  const ofCopy = readCopyAddress(trimmed);
  if (ofCopy) return isUsable(ofCopy) ? { ...ofCopy, wasSsh: false } : undefined;
  const { address, wasSsh } = asHttps(trimmed.replace(/^git::/, ''));
  const url = URL.parse(address);
  if (!url || !/^(?:https?|file):$/.test(url.protocol)) return undefined;
  const parts = splitAddress(url);
  return parts && isUsable(parts) ? { ...parts, wasSsh } : undefined;
}

const isUsable = ({ ref, path }: Split): boolean =>
  (ref === undefined || isGitRef(ref)) && (path === undefined || isRelativePath(path));

const fileUrl = (path: string): string =>
  `file://${path.split('/').map(encodeURIComponent).join('/').replace(/%3A/i, ':').replace(/\/+$/, '')}`;

function asHttps(text: string): { address: string; wasSsh: boolean } {
  const ssh = /^(?:git\+)?ssh:\/\/(?:[^@/]+@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(text);
  if (ssh) return { address: `https://${ssh[1]}/${ssh[2]}`, wasSsh: true };
  const scp = text.includes('://') ? null : scpLike.exec(text);
  if (scp) return { address: `https://${scp[2]}/${(scp[3] ?? '').replace(/^\/+/, '')}`, wasSsh: true };
  return { address: bareHost.test(text) ? `https://${text}` : text, wasSsh: false };
}

type Split = Omit<PastedAddress, 'wasSsh'>;

/**
 * Position of ref and path after the repository in URLs of code hosts. A ref with a slash cannot be distinguished from
 * a path, so it is one segment.
 */
const treeShapes: readonly RegExp[] = [
  /^(?<repository>\/.+?)\/-\/(?<kind>tree|blob)\/(?<ref>[^/]+)(?:\/(?<path>.+))?$/,
  /^(?<repository>\/[^/]+\/[^/]+)\/(?<kind>tree|blob)\/(?<ref>[^/]+)(?:\/(?<path>.+))?$/,
  /^(?<repository>\/[^/]+\/[^/]+)\/src\/(?:branch|tag|commit)\/(?<ref>[^/]+)(?:\/(?<path>.+))?$/,
  /^(?<repository>\/[^/]+\/[^/]+)\/src\/(?<ref>[^/]+)(?:\/(?<path>.+))?$/,
];

/** Returns undefined when an escape of the ref or the path is not UTF-8. */
function splitAddress(url: URL): Split | undefined {
  try {
    return splitParts(url);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function splitParts(url: URL): Split {
  const ref = url.searchParams.get('ref') ?? undefined;
  const packed = /^(?<repository>.+?)\/\/(?<path>.+)$/.exec(url.pathname)?.groups;
  if (packed) return assemble(url, { repository: packed['repository'], path: packed['path'], ref });
  const tree = ref === undefined && url.protocol !== 'file:' ? findTree(url.pathname) : undefined;
  return tree ? assemble(url, tree) : assemble(url, { repository: url.pathname, path: undefined, ref });
}

function findTree(
  pathname: string,
): { repository: string | undefined; path: string | undefined; ref: string | undefined } | undefined {
  for (const shape of treeShapes) {
    const groups = shape.exec(pathname.replace(/\/+$/, ''))?.groups;
    if (!groups) continue;
    const { repository, kind, ref, path } = groups;
    return { repository, ref: ref && decodeURIComponent(ref), path: kind === 'blob' ? folderOf(path) : path };
  }
  return undefined;
}

const folderOf = (file: string | undefined): string | undefined => {
  const end = file?.lastIndexOf('/') ?? -1;
  return end > 0 ? file?.slice(0, end) : undefined;
};

function assemble(
  url: URL,
  part: { repository: string | undefined; path: string | undefined; ref: string | undefined },
): Split {
  const path = part.path?.replace(/\/+$/, '');
  const base = url.protocol === 'file:' ? 'file://' : url.origin;
  return {
    url: `${base}${(part.repository ?? '').replace(/\/+$/, '')}`,
    ...(part.ref && { ref: part.ref }),
    ...(path && { path: decodeURIComponent(path) }),
  };
}
