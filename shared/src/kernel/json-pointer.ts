import { isContainer, type Json } from './json.ts';

/** A JSON Pointer (RFC 6901, 3): empty, or reference tokens that each begin with a slash. */
export const isJsonPointer = (text: string): boolean => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the value that a JSON Pointer refers to (RFC 6901, 4), or undefined when there is none. */
export function findAtPointer(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const token of tokensOf(pointer)) {
    if (!isContainer(at)) return undefined;
    // An array has neither leading zeros nor the position after its last element.
    if (Array.isArray(at) && !/^(?:0|[1-9]\d*)$/.test(token)) return undefined;
    at = Object.hasOwn(at, token) ? (at as Record<string, Json>)[token] : undefined;
  }
  return at;
}
