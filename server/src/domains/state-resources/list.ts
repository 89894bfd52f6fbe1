import type { StateHead } from '#server/domains/state-versions/index';
import type { Cursors, ListQueryOf } from '#server/kernel/page';
import { nothingLeft } from '#shared/kernel/endpoint';
import { isContainer, type Json } from '#shared/kernel/json';
import { pageSizes } from '#shared/limits';
import type { stateResourcesApi } from '#shared/state-resources/api';
import type { CheckResult, ModuleCount, Projection, StateResource } from '#shared/state-resources/contract';
import type { ReadableState } from './reader.ts';
import { withoutDigests } from './shown.ts';
import type { IndexEntry } from './stored.ts';

type Query = ListQueryOf<typeof stateResourcesApi.listStateResources>;
export type ResourceList = {
  projection: Projection;
  resources: StateResource[];
  resourceCount: number;
  modules?: ModuleCount[];
  checks?: CheckResult[];
  nextCursor?: string;
};

/** A search reads at most this many objects, or pages of this many characters, before it answers. */
const maxSearched = 2_000;
const maxSearchedCharacters = 10_000_000;
/** A page ends with the object that reaches this many characters. */
export const maxPageCharacters = 2_000_000;

/** Returns one page of the objects of a state, by address. */
export function listResources(
  { id, resourceCount }: Pick<StateHead, 'id' | 'resourceCount'>,
  { limit = pageSizes.resources.usual, cursor, q, module, address, ...rest }: Query,
  { state, cursors }: { state: ReadableState; cursors: Cursors },
): ResourceList {
  nothingLeft(rest);
  const { projection, head } = state;
  const binding = ['state-resources', id, projection.status, q, module, address].map((part) => part ?? '\n').join(':');
  const start = Number(cursors.decode(binding, cursor)?.[0] ?? 0);
  const isListed = (entry: IndexEntry): boolean =>
    (module === undefined || (entry.moduleAddress ?? '') === module) &&
    (address === undefined || entry.address === address);
  const { resources, end } = pageOf(head.index, { start, limit, text: q?.toLowerCase(), isListed, state });
  return {
    projection,
    resources: resources.map(shownOf),
    // Nothing is in the index of a state that is not read yet, or cannot be read.
    resourceCount: head.index.length || resourceCount,
    ...(cursor === undefined && { modules: head.modules, checks: head.checks }),
    ...(end < head.index.length && { nextCursor: cursors.encode(binding, [end]) }),
  };
}

type Search = {
  start: number;
  limit: number;
  text: string | undefined;
  isListed: (entry: IndexEntry) => boolean;
  state: ReadableState;
};

/** Returns the matches from a position of the index on, and the position of the next page. */
function pageOf(index: readonly IndexEntry[], { start, limit, text, isListed, state }: Search) {
  const resources: StateResource[] = [];
  const mayHold = new Map<number, boolean>();
  let searchedCharacters = 0;
  const isPossible = (page: number): boolean => {
    const known = mayHold.get(page);
    if (text === undefined || known !== undefined) return known ?? true;
    const search = state.search(page, text);
    searchedCharacters += search.characters;
    mayHold.set(page, search.mayHold);
    return search.mayHold;
  };
  let searched = 0;
  let characters = 0;
  const isFull = (page: number): boolean =>
    resources.length === limit ||
    characters >= maxPageCharacters ||
    searched === maxSearched ||
    (searchedCharacters >= maxSearchedCharacters && !mayHold.has(page));
  for (let position = start; position < index.length; position += 1) {
    const entry = index[position] as IndexEntry;
    if (!isListed(entry)) continue;
    if (isFull(entry.page)) return { resources, end: position };
    searched += text === undefined ? 0 : 1;
    const resource = isPossible(entry.page) ? state.find(entry) : undefined;
    if (!resource || (text !== undefined && !holds(resource, text))) continue;
    resources.push(resource);
    characters += JSON.stringify(resource).length;
  }
  return { resources, end: index.length };
}

/** Searches only what is shown, so that a search never tells anything about a sensitive value. */
function holds({ address, type, attributes }: StateResource, text: string): boolean {
  const matches = (value: string): boolean => value.toLowerCase().includes(text);
  const isInside = (value: Json): boolean => {
    if (!isContainer(value)) return value !== null && matches(String(value));
    if (Array.isArray(value)) return value.some((item: Json) => isInside(item));
    return Object.entries(value).some(([key, item]) => matches(key) || isInside(item));
  };
  return matches(address) || matches(type) || (attributes !== undefined && isInside(withoutDigests(attributes)));
}

const shownOf = ({ attributes, ...resource }: StateResource): StateResource => ({
  ...resource,
  ...(attributes !== undefined && { attributes: withoutDigests(attributes) }),
});
