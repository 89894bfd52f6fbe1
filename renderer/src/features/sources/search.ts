import { isId } from '#shared/kernel/id';

/** Filters of the list, as stored in the URL. */
export type SourcesSearch = { q?: string };

export const readSourcesSearch = (search: Record<string, unknown>): SourcesSearch =>
  typeof search['q'] === 'string' && search['q'] !== '' ? { q: search['q'].slice(0, 200) } : {};

/** Two snapshots of a Source to compare, as stored in the URL. */
export type SourceSearch = { from?: string; to?: string };

export const readSourceSearch = ({ from, to }: Record<string, unknown>): SourceSearch => {
  const idIn = (value: unknown): string | undefined =>
    typeof value === 'string' && isId('snapshot', value) ? value : undefined;
  const [first, second] = [idIn(from), idIn(to)];
  return first !== undefined && second !== undefined ? { from: first, to: second } : {};
};
