import { isContainer, type Json } from '#shared/kernel/json';
import { manifestLimits } from '#shared/limits';
import { isSecretLike, isSecretLikeKey } from '#shared/secret-like';
import type { Place, Tell } from './problems.ts';

const secret = 'It looks like a credential, and everything here is public.';
/** Names of what belongs to the host, without case and separators. */
const hostKeys = new Set(
  ['account', 'workspace', 'capsule', 'resource', 'connection', 'principal', 'provider', 'credential', 'host'].map(
    (noun) => `${noun}id`,
  ),
);
const isHostKey = (key: string): boolean => hostKeys.has(key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));

/** Tells texts that look like a credential: a text itself, or those of a text in several languages. */
export function tellPublicText(value: string | Readonly<Record<string, string>>, place: Place, tell: Tell): void {
  if (typeof value === 'string') {
    if (isSecretLike(value)) tell(place, 'secret_like_value', secret);
    return;
  }
  for (const [language, text] of Object.entries(value)) tellPublicText(text, [...place, language], tell);
}

/** The public JSON of an Interface: not too deep, and nothing in it or its keys is a secret or belongs to the host. */
export function tellPublicJson(value: Json, place: Place, tell: Tell): void {
  const visit = (item: Json, at: Place): void => {
    if (typeof item === 'string') tellPublicText(item, at, tell);
    if (!isContainer(item)) return;
    if (at.length - place.length >= manifestLimits.jsonDepth) {
      tell(at, 'depth_exceeded', `It is nested deeper than ${manifestLimits.jsonDepth} levels.`);
      return;
    }
    const isList = Array.isArray(item);
    for (const [key, child] of Object.entries(item)) {
      const here = [...at, isList ? Number(key) : key];
      if (!isList) tellKey(key, here, tell);
      visit(child as Json, here);
    }
  };
  visit(value, place);
}

function tellKey(key: string, place: Place, tell: Tell): void {
  if (isSecretLikeKey(key) || isSecretLike(key))
    tell(place, 'secret_like_value', 'Its key is called like a credential.');
  else if (isHostKey(key)) tell(place, 'host_authority_key', 'Its key names a record of the host.');
}
