import { type IdKind, isId } from '../kernel/id.ts';
import { deepLinkScheme, installLinkSearch } from '../sources/link-address.ts';

/** Records with a page that a link of the desktop opens, and the kinds of their ids. */
const records: Readonly<Record<string, readonly IdKind[]>> = {
  runs: ['plan', 'apply', 'sync', 'restore'],
  capsules: ['capsule'],
};

/**
 * Returns the path of the page that a `groundctl://` link opens: the review of an install link, a Run or a Capsule.
 * Undefined for any other text. The query of an install link is checked by its page; other links have none.
 */
export function pageOfDeepLink(link: string): string | undefined {
  if (!link.startsWith(`${deepLinkScheme}://`)) return undefined;
  const search = installLinkSearch(link);
  if (search !== undefined) return `/new${search}`;
  const [, name = '', id = ''] = /^\w+:\/\/([a-z]+)\/([\w]+)$/.exec(link) ?? [];
  const kinds = Object.hasOwn(records, name) ? (records[name] ?? []) : [];
  return kinds.some((kind) => isId(kind, id)) ? `/${name}/${id}` : undefined;
}

/** Returns the link that opens the page of a Run or a Capsule in the desktop; undefined for another path. */
export function deepLinkOf(path: string): string | undefined {
  const link = `${deepLinkScheme}:/${path}`;
  return pageOfDeepLink(link) === path ? link : undefined;
}

/** Returns the page that shows a Git address for a person to inspect. It fetches nothing. */
export const pageOfAddress = (address: string): string => `/new?url=${encodeURIComponent(address)}`;
