/** What the list shows, as it stands in the address. */
export type ConnectionsSearch = { q?: string };

export const readConnectionsSearch = (search: Record<string, unknown>): ConnectionsSearch =>
  typeof search['q'] === 'string' && search['q'] !== '' ? { q: search['q'].slice(0, 200) } : {};
