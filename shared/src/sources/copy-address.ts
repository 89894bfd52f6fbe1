import { isId } from '../kernel/id.ts';
import { copyScheme } from '../vendor.ts';

/** Returns the URL of the Source that reads a copy. */
export const copyUrl = (copyId: string): string => `${copyScheme}${copyId}`;

/** Returns the id of the copy that a URL names; undefined for any other URL. */
export function copyIdOf(url: string): string | undefined {
  const id = url.startsWith(copyScheme) ? url.slice(copyScheme.length) : '';
  return isId('copy', id) ? id : undefined;
}
