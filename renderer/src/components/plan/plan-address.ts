import type { ChangeKind } from '#shared/plans/change';

/** Opened rows as stored in the URL: their names, a single one as text, or `*` for every row. */
export type OpenRows = string | string[];

/** View of a list of changes that a URL restores. */
export type PlanAddress = { q?: string; kinds?: string; open?: OpenRows };
export type PlanViewState = { q: string; kinds: ReadonlySet<ChangeKind>; open: ReadonlySet<string> };

/** Bounds that keep a URL short enough to be pasted anywhere. */
const mostRows = 10;
const mostName = 400;
const every = '*';

/** Planned changes are named by their address alone; rows of drift and Outputs keep the first word of their id. */
const prefix = 'plan ';
const nameOf = (id: string): string => (id.startsWith(prefix) ? id.slice(prefix.length) : id);
const idOf = (name: string): string => (/^(?:drift|output) /.test(name) ? name : prefix + name);

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= mostName;

export function readOpenRows(value: unknown): OpenRows | undefined {
  const names = (Array.isArray(value) ? value : [value]).filter(isName).slice(0, mostRows);
  return names.length > 1 ? names : names[0];
}

/** Returns the ids of the opened rows. A name without a row of the list is ignored where it is shown. */
export function openIdsOf(open: OpenRows | undefined, all: readonly string[]): string[] {
  if (open === undefined) return [];
  if (open === every) return [...all];
  const known = new Set(all);
  return (Array.isArray(open) ? open : [open]).map(idOf).filter((id) => known.has(id));
}

/** Returns the URL of a view. Of many opened rows the last ones are named, unless all of them are open. */
export function addressOf({ q, kinds, open }: PlanViewState, all: readonly string[]): PlanAddress {
  const isWhole = open.size > mostRows && all.every((id) => open.has(id));
  const names = [...open].map(nameOf).filter(isName).slice(-mostRows);
  const opened = isWhole ? every : readOpenRows(names);
  return {
    ...(q !== '' && { q }),
    ...(kinds.size > 0 && { kinds: [...kinds].join(',') }),
    ...(opened !== undefined && { open: opened }),
  };
}
