/** Filters of the list, as stored in the URL. */
export type SourcesSearch = { q?: string };

export const readSourcesSearch = (search: Record<string, unknown>): SourcesSearch =>
  typeof search['q'] === 'string' && search['q'] !== '' ? { q: search['q'].slice(0, 200) } : {};
