import { readQuery } from '#shared/sources/link-query';

/*
 * Conversion between the URL query and values. Values are strings, as in any other query; a repeated name has a list. A
 * query that cannot be represented this way is kept unchanged under a name that no page reads.
 */
const whole = '';

type Search = Record<string, unknown>;

const isTellable = ({ name, value }: { name: string | undefined; value: string | undefined }): boolean =>
  name !== undefined && name !== whole && name !== '__proto__' && value !== undefined;

export function parseSearch(search: string): Search {
  const fields = readQuery(search);
  if (!fields.every(isTellable)) return { [whole]: search.replace(/^\?/, '') };
  const byName = Map.groupBy(fields, ({ name }) => name ?? whole);
  return Object.fromEntries(
    [...byName].map(([name, group]) => [name, group.length === 1 ? group[0]?.value : group.map(({ value }) => value)]),
  );
}

export function stringifySearch(search: Search): string {
  const rawQuery = search[whole];
  if (typeof rawQuery === 'string') return `?${rawQuery}`;
  const parts = Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
