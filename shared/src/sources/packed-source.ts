import { isRelativePath } from '../relative-path.ts';
import { isGitRef } from './git-address.ts';
import { readQuery } from './link-query.ts';

/** A parsed module address; `git` still has to be checked as an address. */
type UnpackedSource = { git: string; ref?: string; path?: string };

const prefix = 'git::https://';

/**
 * Parses a packed module address: `git::https://host/repository//module?ref=name`, its path and ref percent-encoded
 * where needed. Undefined for any other text: an inner query holds one `ref` and nothing else.
 */
export function splitPacked(text: string): UnpackedSource | undefined {
  if (!text.startsWith(prefix) || text.includes('#')) return undefined;
  const [address = '', query, more] = text.slice(prefix.length).split('?');
  const ref = query === undefined ? undefined : readRef(query);
  if (more !== undefined || (query !== undefined && ref === undefined)) return undefined;
  const cut = address.indexOf('//');
  const path = cut < 0 ? undefined : readPath(address.slice(cut + 2));
  const repository = cut < 0 ? address : address.slice(0, cut);
  if ((cut >= 0 && path === undefined) || !/^[^/]+\/./.test(repository)) return undefined;
  return { git: `https://${repository}`, ...(ref !== undefined && { ref }), ...(path !== undefined && { path }) };
}

function readRef(query: string): string | undefined {
  const [field, ...others] = readQuery(query);
  const isSound = others.length === 0 && field?.name === 'ref' && isGitRef(field.value ?? '');
  return isSound ? field.value : undefined;
}

function readPath(text: string): string | undefined {
  try {
    const path = decodeURIComponent(text);
    return /%2f/i.test(text) || !isRelativePath(path) ? undefined : path;
  } catch {
    return undefined;
  }
}
