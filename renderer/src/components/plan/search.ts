import { isContainer, type Json } from '#shared/kernel/json';
import type { PlanOutput, PlanResource } from '#shared/plans/document';
import { isSensitiveMark } from '#shared/plans/marks';
import { visibleText } from '../../ui/visible-text.ts';
import type { DiffNode, Path, Side } from './diff.ts';

const haystacks = new WeakMap<object, string>();

/** Searchable text of a change in lower case, computed on first use. */
function haystack(change: PlanResource | PlanOutput): string {
  const known = haystacks.get(change);
  if (known !== undefined) return known;
  const parts: string[] = 'address' in change ? namesOf(change) : [change.name];
  collect(change.before, parts);
  collect(change.after, parts);
  collectKeys(change.afterUnknown, parts);
  const searchText = visibleText(parts.join('\n')).toLowerCase();
  haystacks.set(change, searchText);
  return searchText;
}

const namesOf = (resource: PlanResource): string[] =>
  [resource.address, resource.previousAddress, resource.importing?.id, resource.providerName, resource.deposed].filter(
    (text) => text !== undefined,
  );

function collect(value: Json, parts: string[]): void {
  if (value === null || isSensitiveMark(value)) return;
  if (!isContainer(value)) parts.push(String(value));
  else
    for (const [key, child] of Object.entries(value)) {
      if (!Array.isArray(value)) parts.push(key);
      collect(child as Json, parts);
    }
}

/** Names of attributes that are known after the apply appear only in the mask. */
function collectKeys(mask: Json, parts: string[]): void {
  if (!isContainer(mask)) return;
  for (const [key, child] of Object.entries(mask)) {
    if (!Array.isArray(mask)) parts.push(key);
    collectKeys(child as Json, parts);
  }
}

/** Normalizes the typed query for comparison. An empty query matches nothing. */
export const asQuery = (typed: string): string => typed.trim().toLowerCase();

export const matches = (change: PlanResource | PlanOutput, query: string): boolean =>
  query === '' || haystack(change).includes(query);

/** Formats a path such as `tags.env` or `rule[0].port`. Keys that are not identifiers are quoted. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');

const sideHas = (side: Side, query: string): boolean => {
  if (side.kind !== 'value' || side.value === null) return false;
  const parts: string[] = [];
  collect(side.value, parts);
  return parts.some((part) => visibleText(part).toLowerCase().includes(query));
};

/** Reports whether the node itself matches the query by name or, for a leaf, by value. */
export const nodeMatches = (node: DiffNode, query: string): boolean =>
  query !== '' &&
  (node.name.toLowerCase().includes(query) ||
    (node.kind === 'leaf'
      ? sideHas(node.before, query) || sideHas(node.after, query)
      : node.children.some((child) => nodeMatches(child, query))));

/** Returns the paths of the attributes with a match, at most `most`. */
export function findMatchingPaths(nodes: readonly DiffNode[], query: string, most = 3): string[] {
  const paths: string[] = [];
  const visit = (node: DiffNode): void => {
    if (paths.length >= most || !nodeMatches(node, query)) return;
    if (node.kind === 'group' && node.children.some((child) => nodeMatches(child, query))) node.children.forEach(visit);
    else paths.push(pathText(node.path));
  };
  nodes.forEach(visit);
  return paths;
}

/** Splits a text at its matches; every second piece is a match. */
export function splitAtMatches(text: string, query: string): string[] {
  if (query === '') return [text];
  const lower = text.toLowerCase();
  // Letters that change their length in lower case would shift every later position.
  if (lower.length !== text.length) return [text];
  const pieces: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(query); at !== -1 && pieces.length < 200; at = lower.indexOf(query, from)) {
    pieces.push(text.slice(from, at), text.slice(at, at + query.length));
    from = at + query.length;
  }
  return [...pieces, text.slice(from)];
}
