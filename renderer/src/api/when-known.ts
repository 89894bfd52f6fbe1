/** Returns the options of the query of an id. While the id is unknown, the query waits. */
export const whenKnown = <Q extends object>(
  id: string | undefined,
  queryOf: (id: string) => Q,
): Q & { enabled: boolean } => ({ ...queryOf(id ?? 'unknown'), enabled: id !== undefined });
