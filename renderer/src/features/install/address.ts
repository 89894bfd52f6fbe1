import { isRelativePath } from '#shared/relative-path';
import { copyIdOf } from '#shared/sources/copy-address';
import { type GitUrlRules, isGitRef, parseGitUrl } from '#shared/sources/git-address';
import type { InspectedAddress } from '#shared/sources/inspection';
import { readPastedAddress } from '#shared/sources/pasted-address';

export { asName, nameOf, repositoryName } from '#shared/sources/repository-name';

export type Address = InspectedAddress;

export type Refusal = Extract<ReturnType<typeof parseGitUrl>, { ok: false }>['reason'];
export type Reading =
  | { kind: 'empty' }
  | { kind: 'unreadable' }
  | { kind: 'refused'; url: string; reason: Refusal }
  | { kind: 'readable'; address: Address; wasSsh: boolean; hadCredentials: boolean };

const credentials = /^(?:git::)?https?:\/\/[^/]*@/i;

/** Parses a typed address with the rules of this server, which apply to all but copies. Nothing is fetched. */
export function readAddress(text: string, rules: GitUrlRules): Reading {
  if (text.trim() === '') return { kind: 'empty' };
  const pasted = readPastedAddress(text);
  if (!pasted) return { kind: 'unreadable' };
  const parsed =
    copyIdOf(pasted.url) === undefined ? parseGitUrl(pasted.url, rules) : { ok: true as const, url: pasted.url };
  if (!parsed.ok) return { kind: 'refused', url: pasted.url, reason: parsed.reason };
  const address = { url: parsed.url, ref: pasted.ref ?? 'HEAD', path: pasted.path ?? '.' };
  return { kind: 'readable', address, wasSsh: pasted.wasSsh, hadCredentials: credentials.test(text.trim()) };
}

export const isSound = ({ ref, path }: Address): boolean => isGitRef(ref) && isRelativePath(path);

/** Returns the name, or the name with the first free number appended. */
export function uniqueName(name: string, isTaken: (name: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!isTaken(candidate)) return candidate;
  }
}
