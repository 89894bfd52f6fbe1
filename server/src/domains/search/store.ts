import type { Db } from '#server/kernel/db';
import { bestRank, createMatcher } from '#shared/search/rank';
import type { Match, Viewer, Wanted } from './match-store.ts';
import {
  findCapsules,
  findConnections,
  findFormResources,
  findInterfaces,
  findProjects,
  findSources,
  findWorkspaces,
} from './named-store.ts';
import { findRuns } from './run-store.ts';

export type SearchStore = ReturnType<typeof createSearchStore>;

export function createSearchStore(db: Db) {
  defineRank(db);
  const kinds = [
    findCapsules,
    findRuns,
    findInterfaces,
    findFormResources,
    findSources,
    findConnections,
    findProjects,
    findWorkspaces,
  ];
  return {
    /** Returns the best matches of each kind, at most `limit` of a kind. */
    find: (viewer: Viewer, wanted: Wanted): Match[] => kinds.flatMap((find) => find(db, viewer, wanted)),
  };
}

/**
 * Defines the SQL function `search_rank(query, id, name…)`, with which the ledger orders and bounds the matches. It is
 * null for a row that does not match.
 */
function defineRank({ sqlite }: Db): void {
  let last = { query: '', matcher: createMatcher('') };
  sqlite.function('search_rank', { deterministic: true, directOnly: true, varargs: true }, (...texts: unknown[]) => {
    const [query = '', id = '', ...names] = texts.map((text) => (typeof text === 'string' ? text : ''));
    if (query !== last.query) last = { query, matcher: createMatcher(query) };
    const { rankId, rankName } = last.matcher;
    return bestRank(rankId(id), ...names.map(rankName)) ?? null;
  });
}
