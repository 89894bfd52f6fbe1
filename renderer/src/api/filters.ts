type Search = Record<string, unknown>;

/** Filters of a list as a page gets them. */
export type Filters<S> = {
  search: S;
  /** Thrown when a filter in the URL has a value that does not exist. */
  isUnknown: boolean;
};

/** Validates the filters of a list again, because the router keeps invalid values in the URL. */
export function readFilters<S extends object>(
  read: (search: Search) => S,
  names: readonly string[],
  raw: Search,
): Filters<S> {
  const search = read(raw);
  const isLeftOut = (name: string) => raw[name] !== undefined && raw[name] !== '' && !(name in search);
  return { search, isUnknown: names.some(isLeftOut) };
}
