import { readQuery } from '#shared/sources/link-query';

/*
 * How a query becomes values and back. Values are texts, as in every other query; a name that is there twice has a list.
 * A query that cannot be told in that way is kept as it is, under a name that no page asks for.
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
