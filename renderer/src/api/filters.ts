type Search = Record<string, unknown>;

export type Filters<S> = {
  search: S;
  /** A filter of the address has a value that does not exist. */
  isUnknown: boolean;
};

/** Reads the filters of a list again, because the router returns what their reader left out as it stands in the address. */
export function readFilters<S extends object>(
  read: (search: Search) => S,
  names: readonly string[],
  raw: Search,
): Filters<S> {
  const search = read(raw);
  const isLeftOut = (name: string) => raw[name] !== undefined && raw[name] !== '' && !(name in search);
  return { search, isUnknown: names.some(isLeftOut) };
}
