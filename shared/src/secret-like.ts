import { isContainer, type Json } from './kernel/json.ts';

/** Patterns of well-known credentials. Each is linear in the length of the text. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  /\bsk-\w{8}/,
  /\b[sr]k_(?:live|test)_\w{8}/,
  /\bgithub_pat_\w{20}/,
  /\bgh[posru]_\w{8}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}/,
  /\bAIza[\w-]{20}/,
  /\bxox[abprs]-[\w-]{10}/,
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}/,
  /\b(?:sess_|svc(?:pat|at|rt|srv|op|inv|hook)_)[\w-]{20}/,
  /\b(?:Bearer|Basic|Digest|Token)\s+(?=[^\s\d]*\d)[^\s]{8}/i,
  /\bAuthorization:\s*\S/i,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@]{1,256}@/i,
];

const assignment =
  /(?:secret|token|password|passwd|pwd|credentials?|api[_-]?key|access[_-]?key|private[_-]?key|connection[_-]?string|database[_-]?url|dsn)["']?\s{0,8}[=:]\s{0,8}["']?(\S{6,})/gi;

/**
 * Reports whether a text contains something that looks like a credential. Prose that only mentions the word does not
 * count.
 */
export function isSecretLike(text: string): boolean {
  if (shapes.some((shape) => shape.test(text))) return true;
  for (const [, value = ''] of text.matchAll(assignment)) if (/\d/.test(value)) return true;
  return false;
}

const secretKeyPart =
  /secret|token|password|passwd|passphrase|credential|apikey|accesskey|privatekey|sessionid|authorization|connectionstring|databaseurl/;
const secretKeys = new Set(['auth', 'dsn', 'pwd']);

/** Reports whether a key is named like one that holds a credential. Case and separators are ignored. */
export function isSecretLikeKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return secretKeyPart.test(plain) || secretKeys.has(plain);
}

/**
 * Returns the first key of a JSON value that is named like a credential, as a path of keys; undefined when there is
 * none.
 */
export function findSecretLikeKey(value: Json, path: readonly string[] = []): readonly string[] | undefined {
  if (!isContainer(value)) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const here = [...path, key];
    const match = !Array.isArray(value) && isSecretLikeKey(key) ? here : findSecretLikeKey(child as Json, here);
    if (match) return match;
  }
  return undefined;
}

/**
 * Returns the first string of a JSON value that looks like a credential, as a path of keys; undefined when there is
 * none.
 */
export function findSecretLike(value: Json, path: readonly string[] = []): readonly string[] | undefined {
  if (typeof value === 'string') return isSecretLike(value) ? path : undefined;
  if (!isContainer(value)) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const match = findSecretLike(child as Json, [...path, key]);
    if (match) return match;
  }
  return undefined;
}
