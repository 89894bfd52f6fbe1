/** Filters of the list and the result of an OAuth sign-in, as stored in the URL. */
export type ConnectionsSearch = { q?: string; connected?: string; failed?: string };

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;

export function readConnectionsSearch(search: Record<string, unknown>): ConnectionsSearch {
  const q = textOf(search['q']);
  const connected = textOf(search['connection_id'] ?? search['connected']);
  const failed = textOf(search['connection_error'] ?? search['failed']);
  return {
    ...(q !== undefined && { q }),
    ...(connected !== undefined && { connected }),
    ...(failed !== undefined && { failed }),
  };
}

/** Kind of Connection to add: undecided, a Git token, a module registry, object storage or a recipe; optionally for a named provider. */
export type NewConnectionSearch = { kind?: 'git' | 'registry' | 'storage'; recipe?: string; provider?: string };

export function readNewConnectionSearch(search: Record<string, unknown>): NewConnectionSearch {
  const { kind } = search;
  if (kind === 'git' || kind === 'registry' || kind === 'storage') return { kind };
  const recipe = textOf(search['recipe']);
  const provider = textOf(search['provider']);
  return { ...(recipe !== undefined && { recipe }), ...(provider !== undefined && { provider }) };
}
