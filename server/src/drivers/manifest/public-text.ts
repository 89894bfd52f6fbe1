import { isContainer, type Json } from '#shared/kernel/json';
import { manifestLimits } from '#shared/limits';
import { isSecretLike, isSecretLikeKey } from '#shared/secret-like';
import type { JsonPath, Report } from './problems.ts';

const secret = 'It looks like a credential, and everything here is public.';
/** Reserved names of the host, without case and separators. */
const hostKeys = new Set(
  ['account', 'workspace', 'capsule', 'resource', 'connection', 'principal', 'provider', 'credential', 'host'].map(
    (noun) => `${noun}id`,
  ),
);
const isHostKey = (key: string): boolean => hostKeys.has(key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));

/** Reports texts that look like a credential: a text itself, or those of a text in several languages. */
export function reportPublicText(
  value: string | Readonly<Record<string, string>>,
  path: JsonPath,
  report: Report,
): void {
  if (typeof value === 'string') {
    if (isSecretLike(value)) report(path, 'secret_like_value', secret);
    return;
  }
  for (const [language, text] of Object.entries(value)) reportPublicText(text, [...path, language], report);
}

/** Checks the public JSON of an Interface: not too deep, no secrets and no reserved keys of the host. */
export function reportPublicJson(value: Json, path: JsonPath, report: Report): void {
  const visit = (item: Json, at: JsonPath): void => {
    if (typeof item === 'string') reportPublicText(item, at, report);
    if (!isContainer(item)) return;
    if (at.length - path.length >= manifestLimits.jsonDepth) {
      report(at, 'depth_exceeded', `It is nested deeper than ${manifestLimits.jsonDepth} levels.`);
      return;
    }
    const isList = Array.isArray(item);
    for (const [key, child] of Object.entries(item)) {
      const here = [...at, isList ? Number(key) : key];
      if (!isList) reportKey(key, here, report);
      visit(child as Json, here);
    }
  };
  visit(value, path);
}

function reportKey(key: string, path: JsonPath, report: Report): void {
  if (isSecretLikeKey(key) || isSecretLike(key))
    report(path, 'secret_like_value', 'Its key is called like a credential.');
  else if (isHostKey(key)) report(path, 'host_authority_key', 'Its key names a record of the host.');
}
