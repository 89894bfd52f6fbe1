import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#shared/kernel/json';
import { compareKinds, kindOf, type PlanAction } from '#shared/plans/change';
import { summarize } from '#shared/plans/totals';
import type { StateChange, StateOutputChange, StateResource } from '#shared/state-resources/contract';
import { isStoredMark } from './digest.ts';
import type { ReadableState } from './reader.ts';
import { withChanges, withoutDigests } from './shown.ts';
import { type IndexEntry, objectKey, type StoredOutput } from './stored.ts';

/** A differing object: its entries on both sides. */
export type Difference = {
  address: string;
  mode: 'managed' | 'data';
  actions: PlanAction[];
  previousAddress?: string;
  before: IndexEntry | undefined;
  after: IndexEntry | undefined;
};

type Known = {
  /** Earlier address of an object that was moved in between, by its address on the later side. */
  previousOf: (address: string) => string | undefined;
  /** Reports whether an apply in between replaced the object that is now at an address. */
  isReplaced: (address: string) => boolean;
};

/** Returns all differences of two states in the order of a plan, and the number of objects without one. */
export function differencesOf(before: readonly IndexEntry[], after: readonly IndexEntry[], known: Known) {
  const old = new Map(before.map((entry) => [objectKey(entry), entry]));
  const now = new Set(after.map(objectKey));
  const differences: Difference[] = [];
  for (const entry of after) {
    const former = formerOf(entry, { old, now, known });
    if (former) old.delete(objectKey(former));
    const difference = differenceOf(former, entry, known);
    if (difference) differences.push(difference);
  }
  for (const entry of old.values())
    differences.push({ ...namesOf(entry), actions: ['delete'], before: entry, after: undefined });
  differences.sort(
    (left, right) => compareKinds(kindOf(left), kindOf(right)) || compareText(left.address, right.address),
  );
  const unchangedCount = after.length - differences.filter((difference) => difference.after !== undefined).length;
  return { differences, unchangedCount, summary: summarize(differences) };
}

type Sides = { old: ReadonlyMap<string, IndexEntry>; now: ReadonlySet<string>; known: Known };

/** The same object on the earlier side: at its address, or at one that it was moved from. */
function formerOf(entry: IndexEntry, { old, now, known }: Sides): IndexEntry | undefined {
  const same = old.get(objectKey(entry));
  const previous = same || entry.deposed !== undefined ? undefined : known.previousOf(entry.address);
  if (previous === undefined) return same;
  const key = objectKey({ address: previous });
  return now.has(key) ? undefined : old.get(key);
}

function differenceOf(before: IndexEntry | undefined, after: IndexEntry, known: Known): Difference | undefined {
  const names = { ...namesOf(after), before, after };
  if (!before) return { ...names, actions: ['create'] };
  const moved = before.address === after.address ? {} : { previousAddress: before.address };
  const isSame = before.digest === after.digest;
  if (isSame) return moved.previousAddress === undefined ? undefined : { ...names, ...moved, actions: ['no-op'] };
  return { ...names, ...moved, actions: known.isReplaced(after.address) ? ['delete', 'create'] : ['update'] };
}

const namesOf = ({ address, isData }: IndexEntry) => ({
  address,
  mode: isData ? ('data' as const) : ('managed' as const),
});
const compareText = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

/** Returns a difference in the form of a change of a plan, with the values of both sides. */
export function changeOf(
  { before, after, actions, previousAddress }: Difference,
  { from, to }: { from: ReadableState; to: ReadableState },
): StateChange[] {
  const old = before && from.find(before);
  const now = after && to.find(after);
  const either = now ?? old;
  if (!either) return [];
  const { address, moduleAddress, type, name, providerName, mode, deposed } = either;
  return [
    {
      address,
      ...(moduleAddress !== undefined && { moduleAddress }),
      type,
      name,
      providerName,
      mode,
      actions,
      before: old ? withoutDigests(attributesOf(old)) : null,
      after: now ? afterOf(now, old, to) : null,
      afterUnknown: false,
      beforeSensitive: false,
      afterSensitive: false,
      ...(previousAddress !== undefined && { previousAddress }),
      ...(deposed !== undefined && { deposed }),
    },
  ];
}

/** Objects whose values are not known have no attributes. */
const attributesOf = ({ attributes = {} }: StateResource): Json => attributes;
const afterOf = (now: StateResource, old: StateResource | undefined, { digest }: ReadableState): Json =>
  old ? withChanges(attributesOf(now), attributesOf(old), digest) : withoutDigests(attributesOf(now));

/** Returns the differing Outputs, by name. */
export function outputChangesOf(from: ReadableState, to: ReadableState): StateOutputChange[] {
  const old = new Map(from.head.outputs.map((output) => [output.name, output]));
  const now = new Map(to.head.outputs.map((output) => [output.name, output]));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((name) => {
    const change = outputChangeOf(old.get(name), now.get(name), to);
    return change ? [{ name, ...change }] : [];
  });
}

function outputChangeOf(
  old: StoredOutput | undefined,
  now: StoredOutput | undefined,
  { digest }: ReadableState,
): Omit<StateOutputChange, 'name'> | undefined {
  const isSame = old && now && digest(old.value) === digest(now.value);
  if (isSame && isDeepStrictEqual(isStoredMark(old.value), isStoredMark(now.value))) return undefined;
  return {
    actions: [old ? (now ? 'update' : 'delete') : 'create'],
    before: old ? withoutDigests(old.value) : null,
    after: now ? (old ? withChanges(now.value, old.value, digest) : withoutDigests(now.value)) : null,
    afterUnknown: false,
    sensitive: old?.sensitive === true || now?.sensitive === true,
  };
}
