import type { InstallLinkReason } from '../errors.ts';
import { isRelativePath } from '../relative-path.ts';
import { isSecretLike } from '../secret-like.ts';
import { isGitRef, parseGitUrl } from './git-address.ts';
import { type QueryField, readQuery, writeQuery } from './link-query.ts';
import { splitPacked } from './packed-source.ts';
import { findReturnUriRefusal, isProductKey, type ReturnTarget } from './return-uri.ts';

/**
 * A link that requests the installation of a module. `sourcePath` is fetched and scanned; `path` is the module inside
 * it.
 */
export type ModuleLink = {
  kind: 'module';
  git: string;
  ref?: string;
  sourcePath: string;
  path?: string;
  name?: string;
  returnTo?: ReturnTarget;
};
/** A link to a document that offers several sources. */
export type OptionsLink = { kind: 'options'; git: string; path: string; ref?: string };
export type InstallLink = ModuleLink | OptionsLink;

/** `field` is the name of the query field, when it can be reported without repeating untrusted input. */
export type LinkRefusal = { reason: InstallLinkReason; field?: string };
type ReadLink = { kind: 'empty' } | { kind: 'refused'; refusal: LinkRefusal } | { kind: 'link'; link: InstallLink };

/** Value of `kind` in a link to a source-options document. */
const optionsKind = 'capsule-source-options';
const moduleFields = ['git', 'source', 'ref', 'sourcePath', 'path', 'name', 'product', 'return_uri'] as const;
const optionsFields = ['kind', 'git', 'path', 'ref'] as const;
type FieldName = (typeof moduleFields)[number] | 'kind';
type Fields = Partial<Record<FieldName, string>>;

const refuse = (reason: InstallLinkReason, field?: string): LinkRefusal =>
  field === undefined ? { reason } : { reason, field };

/**
 * Parses the query of an install link: the whole link, or the reason why it is refused as a whole. Pure, and the same
 * for the server, the dashboard and the desktop; a host is judged by its text only.
 */
export function readInstallLink(search: string): ReadLink {
  const queryFields = readQuery(search);
  if (queryFields.length === 0) return { kind: 'empty' };
  const fields = collect(queryFields);
  const link = 'reason' in fields ? fields : 'kind' in fields ? optionsLink(fields) : moduleLink(fields);
  return 'reason' in link ? { kind: 'refused', refusal: link } : { kind: 'link', link };
}

/** Returns the canonical query of a link, without `?`. */
export function writeInstallLink(link: InstallLink): string {
  if (link.kind === 'options') {
    const { git, path, ref } = link;
    return writeQuery({ kind: optionsKind, git, path, ref });
  }
  const { git, ref, sourcePath, path, name, returnTo } = link;
  return writeQuery({
    git,
    ref,
    sourcePath: sourcePath === '.' ? undefined : sourcePath,
    path,
    name,
    product: returnTo?.product,
    return_uri: returnTo?.uri,
  });
}

/** An untrusted field name is reported only when it is plain. */
const tellable = (name: string): string | undefined =>
  /^[\w.-]{1,64}$/.test(name) && !isSecretLike(name) ? name : undefined;

/** Returns each field once, by name, or the problem with the fields as such. */
function collect(queryFields: readonly QueryField[]): Fields | LinkRefusal {
  const names = queryFields.map(({ name }) => name);
  const known: readonly string[] = names.includes('kind') ? optionsFields : moduleFields;
  const fields: Record<string, string> = {};
  for (const { name, value } of queryFields) {
    if (name === undefined) return refuse('invalid_field');
    const reason = nameRefusal(name, known) ?? (Object.hasOwn(fields, name) ? 'duplicate_field' : undefined);
    if (reason !== undefined || value === undefined) return refuse(reason ?? 'invalid_field', tellable(name));
    fields[name] = value;
  }
  if (!names.includes('git') && !names.includes('source')) return refuse('target_missing', 'git');
  return names.includes('') ? refuse('unknown_field') : (fields as Fields);
}

function nameRefusal(name: string, known: readonly string[]): InstallLinkReason | undefined {
  if (/^var(?:json)?\./.test(name)) return 'variables_not_allowed';
  return name === '' || known.includes(name) ? undefined : 'unknown_field';
}

type Check = (value: string) => InstallLinkReason | undefined;
const holds =
  (test: (value: string) => boolean): Check =>
  (value) =>
    test(value) ? undefined : 'invalid_field';

const rules = { allowLoopback: true, allowLocal: false };
/** No part after the scheme is empty, so that the address cannot also be parsed as a packed one. */
const plainAddress = /^https:\/\/(?!\/)(?!.*\/\/)/;

/** Returns the canonical address of a repository that is read over https; undefined for any other text. */
export const readGit = (value: string): string | undefined => {
  const parsed = plainAddress.test(value) ? parseGitUrl(value, rules) : undefined;
  if (!parsed?.ok || !parseGitUrl(parsed.url, rules).ok) return undefined;
  return isSecretLike(value) || isSecretLike(parsed.url) ? undefined : parsed.url;
};

const checks: Record<FieldName, Check> = {
  kind: holds((value) => value === optionsKind),
  git: holds((value) => readGit(value) !== undefined),
  source: holds((value) => splitPacked(value) !== undefined),
  ref: holds(isGitRef),
  sourcePath: holds(isRelativePath),
  path: holds(isRelativePath),
  name: holds((value) => [...value].length <= 80),
  product: holds(isProductKey),
  return_uri: findReturnUriRefusal,
};

/** Returns the first field with an invalid value. */
function findInvalid(fields: Fields): LinkRefusal | undefined {
  for (const [name, value] of Object.entries(fields) as [FieldName, string][]) {
    const isPlain = value !== '' && value.trim() === value && !/\p{Cc}/u.test(value);
    const reason = isPlain ? checks[name](value) : 'invalid_field';
    if (reason) return refuse(reason, name);
  }
  return undefined;
}

/** Returns the refusal of an incomplete or ambiguous target or return address, before any value is checked. */
function findIncomplete({ source, git, ref, sourcePath, path, product, return_uri: uri }: Fields) {
  const isAmbiguous = [git, ref, sourcePath, path].some((value) => value !== undefined);
  if (source !== undefined && isAmbiguous) return refuse('target_ambiguous', 'source');
  if (product === undefined && uri !== undefined) return refuse('return_pair_incomplete', 'product');
  return uri === undefined && product !== undefined ? refuse('return_pair_incomplete', 'return_uri') : undefined;
}

function moduleLink(fields: Fields): ModuleLink | LinkRefusal {
  const refusal = findIncomplete(fields) ?? findInvalid(fields);
  if (refusal) return refusal;
  const { source, sourcePath = '.', name, product, return_uri: uri } = fields;
  const { git: address = '', ref, path } = source === undefined ? fields : (splitPacked(source) ?? {});
  const git = readGit(address);
  if (git === undefined) return refuse('invalid_field', source === undefined ? 'git' : 'source');
  const returnTo = product !== undefined && uri !== undefined ? { product, uri } : undefined;
  const parts = { ref, path, name, returnTo };
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined);
  return { kind: 'module', git, sourcePath, ...(Object.fromEntries(entries) as Partial<ModuleLink>) };
}

function optionsLink(fields: Fields): OptionsLink | LinkRefusal {
  if (fields.git === undefined) return refuse('target_missing', 'git');
  if (fields.path === undefined) return refuse('target_missing', 'path');
  const refusal = findInvalid(fields);
  if (refusal) return refusal;
  const { path, ref } = fields;
  const git = readGit(fields.git);
  if (git === undefined) return refuse('invalid_field', 'git');
  if (!path.endsWith('.json')) return refuse('invalid_field', 'path');
  return { kind: 'options', git, path, ...(ref !== undefined && { ref }) };
}
