/** What the list shows, as it stands in the address. */
export type SourcesSearch = { q?: string };

export const readSourcesSearch = (search: Record<string, unknown>): SourcesSearch =>
  typeof search['q'] === 'string' && search['q'] !== '' ? { q: search['q'].slice(0, 200) } : {};
