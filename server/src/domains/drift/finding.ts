import { canonicalJson, hmacHex, type MacKey } from '#server/kernel/digest';
import { isContainer, type Json } from '#shared/kernel/json';
import { isRemoval } from '#shared/plans/change';
import type { PlanResource } from '#shared/plans/document';

export type DriftFinding = {
  changed: number;
  deleted: number;
  /** Absent without drift. */
  digest: string | undefined;
};

/**
 * Counts the resources that differ from the state, and identifies their differences by a keyed digest. Sensitive values
 * count with the digests in their marks, so another secret is another drift.
 */
export function findingOf(drift: readonly PlanResource[], key: MacKey): DriftFinding {
  const deleted = drift.filter(isRemoval).length;
  const differences = drift.map((resource) => [
    resource.address,
    resource.deposed ?? null,
    isRemoval(resource) ? 'deleted' : differencesOf(resource.before, resource.after),
  ]);
  const digest = drift.length === 0 ? undefined : `sha256:${hmacHex(key, canonicalJson(differences))}`;
  return { changed: drift.length - deleted, deleted, digest };
}

/** Returns the attributes that differ, with both values. */
function differencesOf(before: Json, after: Json): unknown {
  const [earlier, later] = [membersOf(before), membersOf(after)];
  const names = [...new Set([...earlier.keys(), ...later.keys()])].sort();
  return names.flatMap((name) => {
    const sides = [earlier.get(name) ?? null, later.get(name) ?? null];
    return canonicalJson(sides[0]) === canonicalJson(sides[1]) ? [] : [[name, ...sides]];
  });
}

const membersOf = (value: Json): Map<string, Json> =>
  new Map(isContainer(value) ? Object.entries(value).map(([name, item]) => [name, item as Json]) : []);
