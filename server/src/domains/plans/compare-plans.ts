import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#shared/kernel/json';
import { type ChangeKind, compareKinds, kindOf } from '#shared/plans/change';
import type { ComparedOutput, ComparedResource, DifferenceKind } from '#shared/plans/comparison';
import type { PlanDocument, PlanOutput, PlanResource } from '#shared/plans/document';
import { compareValues, joinVerdicts, withUnknown } from './compare-values.ts';
import { withoutDigests } from './sensitive-digests.ts';

type PlanDifferences = { resources: ComparedResource[]; outputs: ComparedOutput[]; sameCount: number };
/** A change in the earlier plan and in the later one; one of them can be missing. */
type Pair<T> = { earlier?: T; later?: T };

/** Compares two plans of one Capsule. Their marks hold digests; those of the result do not. */
export function comparePlans(earlier: PlanDocument, later: PlanDocument): PlanDifferences {
  const pairs = pairResources(earlier.resources, later.resources);
  const resources = pairs.flatMap((pair) => compareResource(pair) ?? []).sort(compareOrder);
  return {
    resources,
    outputs: pair(earlier.outputs, later.outputs, ({ name }) => name).flatMap(
      (outputs) => compareOutput(outputs) ?? [],
    ),
    sameCount: pairs.length - resources.length,
  };
}

const keyOf = ({ address, deposed }: Pick<PlanResource, 'address' | 'deposed'>): string =>
  JSON.stringify([address, deposed ?? null]);

/** Pairs changes by address, and a move with the change at its previous address. */
function pairResources(earlier: readonly PlanResource[], later: readonly PlanResource[]): Pair<PlanResource>[] {
  const laterKeys = new Set(later.map(keyOf));
  const moves = new Map(
    later.flatMap((resource) =>
      resource.previousAddress === undefined
        ? []
        : [[keyOf({ address: resource.previousAddress }), keyOf(resource)] as const],
    ),
  );
  const earlierKeys = new Set(earlier.map(keyOf));
  const keyAfterMove = (resource: PlanResource): string => {
    const key = keyOf(resource);
    const moved = laterKeys.has(key) ? undefined : moves.get(key);
    return moved === undefined || earlierKeys.has(moved) ? key : moved;
  };
  return pair(earlier, later, keyOf, keyAfterMove);
}

function pair<T>(
  earlier: readonly T[],
  later: readonly T[],
  key: (item: T) => string,
  earlierKey: (item: T) => string = key,
): Pair<T>[] {
  const pairs = new Map<string, Pair<T>>(earlier.map((item) => [earlierKey(item), { earlier: item }]));
  for (const item of later) pairs.set(key(item), { ...pairs.get(key(item)), later: item });
  return [...pairs.values()];
}

const actionOf = ({ actions, actionReason, previousAddress, importing, replacePaths }: PlanResource) => ({
  actions,
  ...(actionReason !== undefined && { actionReason }),
  ...(previousAddress !== undefined && { previousAddress }),
  ...(importing !== undefined && { importing }),
  ...(replacePaths !== undefined && { replacePaths }),
});

const afterOf = ({ after, afterUnknown }: PlanResource | PlanOutput): Json => withUnknown(after, afterUnknown);

/** Returns the difference of a pair; undefined when both plans do the same. */
function compareResource({ earlier, later }: Pair<PlanResource>): ComparedResource | undefined {
  const shown = later ?? earlier;
  if (shown === undefined) return undefined;
  const { address, moduleAddress, type, name, providerName, mode, deposed } = shown;
  const common = {
    ...{ address, type, name, providerName, mode },
    ...(moduleAddress !== undefined && { moduleAddress }),
    ...(deposed !== undefined && { deposed }),
    ...(earlier && { earlier: actionOf(earlier) }),
    ...(later && { later: actionOf(later) }),
  };
  if (!earlier || !later) {
    const sides = { before: withoutDigests(shown.before), after: withoutDigests(afterOf(shown)) };
    return { ...common, difference: later ? 'added' : 'removed', ...sides };
  }
  const result = compareValues(afterOf(earlier), afterOf(later));
  const start = compareValues(earlier.before, later.before);
  const isSameAction = isDeepStrictEqual(actionOf(earlier), actionOf(later));
  const verdict = joinVerdicts([result.verdict, start.verdict, isSameAction ? 'same' : 'changed']);
  if (verdict === 'same') return undefined;
  return {
    ...common,
    difference: verdict,
    ...{ before: result.before, after: result.after },
    ...(start.verdict !== 'same' && { start: { before: start.before, after: start.after } }),
  };
}

function compareOutput({ earlier, later }: Pair<PlanOutput>): ComparedOutput | undefined {
  const shown = later ?? earlier;
  if (shown === undefined) return undefined;
  const common = { name: shown.name, sensitive: earlier?.sensitive === true || later?.sensitive === true };
  if (!earlier || !later) {
    const difference: DifferenceKind = later ? 'added' : 'removed';
    return { ...common, difference, before: withoutDigests(shown.before), after: withoutDigests(afterOf(shown)) };
  }
  const { before, after, verdict } = compareValues(afterOf(earlier), afterOf(later));
  return verdict === 'same' ? undefined : { ...common, difference: verdict, before, after };
}

const weights: readonly DifferenceKind[] = ['added', 'changed', 'removed', 'uncertain'];

/** Orders by what the later plan does, the most dangerous first, then by kind of difference and address. */
function compareOrder(one: ComparedResource, other: ComparedResource): number {
  return (
    compareKinds(shownKind(one), shownKind(other)) ||
    weights.indexOf(one.difference) - weights.indexOf(other.difference) ||
    (one.address < other.address ? -1 : Number(one.address > other.address))
  );
}

const shownKind = ({ earlier, later }: ComparedResource): ChangeKind => kindOf(later ?? earlier ?? { actions: [] });
