import { writeJson } from '#shared/kernel/exact-number';
import { isJsonObject, type Json } from '#shared/kernel/json';
import { align, type Pair } from './align.ts';
import { hasTrue } from './value-text.ts';

/** Beyond this many pairs, items are no longer compared with each other. */
const maxCompared = 2_500;

/** Returns a text that is equal for equal values, whatever the order of their members. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return writeJson(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`).join(',')}}`;
}

/**
 * Matches the items of two lists: first equal ones, in order; then objects by common members; then the rest between two
 * matches by position when both sides have the same number. `unknown` is the mask of the items that are known only
 * after the apply.
 */
export function matchItems(before: readonly Json[], after: readonly Json[], unknown: Json | undefined): Pair[] {
  const masks = Array.isArray(unknown) ? unknown : [];
  const pairs = align(
    before.map(canonical),
    after.map((item, index) => canonical(item) + (hasTrue(masks[index]) ? `?${index}` : '')),
  );
  const removed = pairs.flatMap((pair) => (pair.after === undefined ? (pair.before ?? []) : []));
  const added = pairs.flatMap((pair) => (pair.before === undefined ? (pair.after ?? []) : []));
  const isFew = removed.length * added.length <= maxCompared;
  const partner = isFew ? matchAlike(removed, added, { before, after }) : new Map<number, number>();
  matchByPosition(pairs, partner, { before, after });
  const taken = new Set(partner.values());
  return pairs.flatMap((pair): Pair[] => {
    if (pair.after === undefined) return pair.before !== undefined && taken.has(pair.before) ? [] : [pair];
    const mate = pair.before ?? partner.get(pair.after);
    return [mate === undefined ? pair : { before: mate, after: pair.after }];
  });
}

type Lists = { before: readonly Json[]; after: readonly Json[] };

/**
 * Adds the unmatched items between two matches when both sides have the same number. Objects with few common members
 * match only at the same position.
 */
function matchByPosition(pairs: readonly Pair[], partner: Map<number, number>, lists: Lists): void {
  const taken = new Set(partner.values());
  const isAlone = ({ before, after }: Pair) =>
    before === undefined ? !partner.has(after!) : after === undefined && !taken.has(before);
  let run: Pair[] = [];
  for (const pair of [...pairs, { before: -1, after: -1 }]) {
    if (isAlone(pair)) run.push(pair);
    if (pair.before === undefined || pair.after === undefined) continue;
    pairRun(run, partner, lists);
    run = [];
  }
}

function pairRun(run: readonly Pair[], partner: Map<number, number>, lists: Lists): void {
  const gone = run.flatMap(({ before }) => before ?? []);
  const come = run.flatMap(({ after }) => after ?? []);
  if (gone.length !== come.length) return;
  for (const [position, index] of come.entries()) {
    const other = gone[position]!;
    if (other === index || !isJsonObject(lists.after[index])) partner.set(index, other);
  }
}

/** Matches greedily, the most similar pairs first. The result maps after to before. */
function matchAlike(removed: readonly number[], added: readonly number[], lists: Lists): Map<number, number> {
  const scored = removed.flatMap((left) =>
    added.map((right) => ({ left, right, score: likeness(lists.before[left], lists.after[right]) })),
  );
  const partner = new Map<number, number>();
  const taken = new Set<number>();
  for (const { left, right, score } of scored.sort((one, other) => other.score - one.score)) {
    if (score < 0.5) break;
    if (taken.has(left) || partner.has(right)) continue;
    taken.add(left);
    partner.set(right, left);
  }
  return partner;
}

const identities = ['id', 'key', 'name', 'arn'];

/**
 * Returns the share of equal, non-empty members; 2 when a name identifies both. An equal item elsewhere is a new order,
 * shown as removed and added.
 */
function likeness(left: Json | undefined, right: Json | undefined): number {
  if (!isJsonObject(left) || !isJsonObject(right)) return 0;
  if (canonical(left) === canonical(right)) return 0;
  const isSame = (key: string) =>
    left[key] !== undefined && right[key] !== undefined && canonical(left[key]) === canonical(right[key]);
  if (identities.some((key) => typeof left[key] === 'string' && left[key] !== '' && isSame(key))) return 2;
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (key) => (left[key] ?? null) !== null || (right[key] ?? null) !== null,
  );
  return keys.length === 0 ? 0 : keys.filter(isSame).length / keys.length;
}
