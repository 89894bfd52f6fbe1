import { isId } from '../kernel/id.ts';
import { copyScheme } from '../vendor.ts';

/** Returns the URL of the Source that reads a copy. */
export const copyUrl = (copyId: string): string => `${copyScheme}${copyId}`;

/** Returns the id of the copy that a URL names; undefined for any other URL. */
export function copyIdOf(url: string): string | undefined {
  const id = url.startsWith(copyScheme) ? url.slice(copyScheme.length) : '';
  return isId('copy', id) ? id : undefined;
}

const parts = /^(?<url>[^/?#]+)(?:\/\/(?<path>[^?#]*))?(?:\?ref=(?<ref>[^&#]*))?$/;

/**
 * Parses the address of a copy in the form in which Sources are linked, `svc-copy:<id>//path?ref=…`. Undefined for any
 * other text.
 */
export function readCopyAddress(text: string): { url: string; path?: string; ref?: string } | undefined {
  const { url = '', path, ref } = parts.exec(text)?.groups ?? {};
  if (copyIdOf(url) === undefined) return undefined;
  try {
    return {
      url,
      ...(path && { path: decodeURIComponent(path) }),
      ...(ref && { ref: decodeURIComponent(ref) }),
    };
  } catch {
    return undefined;
  }
}
