import { kindOf, type PlanAction } from '#shared/plans/change';
import type { ResourceChangeKind } from '#shared/state-resources/contract';
import type { IndexEntry } from './stored.ts';

/** A change that the plan of the apply announced. */
export type PlannedChange = { address: string; actions: PlanAction[]; previousAddress?: string | undefined };
export type ResourceChange = { address: string; change: ResourceChangeKind; previousAddress?: string };

/**
 * Returns the changes of managed objects from one state to the next. A state has neither moves nor replaces, so these
 * come from the plan, and count only where the states agree: an apply may have ended before it reached them.
 */
export function changesOf(
  before: readonly IndexEntry[],
  after: readonly IndexEntry[],
  planned: readonly PlannedChange[],
): ResourceChange[] {
  const old = currentOf(before);
  const now = currentOf(after);
  const plan = new Map(planned.map((change) => [change.address, change]));
  const previousOf = (address: string): string | undefined => {
    const previous = plan.get(address)?.previousAddress;
    return previous !== undefined && old.has(previous) && !now.has(previous) ? previous : undefined;
  };
  const moved = new Set<string>();
  const changes: ResourceChange[] = [];
  for (const [address, digest] of now) {
    const previousAddress = old.has(address) ? undefined : previousOf(address);
    if (previousAddress !== undefined) moved.add(previousAddress);
    const oldDigest = old.get(previousAddress ?? address);
    const change = kindOfChange({ digest, oldDigest, isMoved: previousAddress !== undefined }, plan.get(address));
    if (change) changes.push({ address, change, ...(previousAddress !== undefined && { previousAddress }) });
  }
  for (const address of old.keys()) {
    if (now.has(address) || moved.has(address)) continue;
    const isForgotten = plan.get(address)?.actions.includes('forget') === true;
    changes.push({ address, change: isForgotten ? 'forgotten' : 'deleted' });
  }
  return changes;
}

/** Digests of the managed objects that are current, by address. */
const currentOf = (index: readonly IndexEntry[]): ReadonlyMap<string, string> =>
  new Map(
    index.flatMap(({ address, digest, deposed, isData }) =>
      deposed === undefined && !isData ? [[address, digest] as const] : [],
    ),
  );

type Compared = { digest: string; oldDigest: string | undefined; isMoved: boolean };

function kindOfChange(
  { digest, oldDigest, isMoved }: Compared,
  planned: PlannedChange | undefined,
): ResourceChangeKind | undefined {
  if (oldDigest === undefined) return 'created';
  const hasChanged = digest !== oldDigest;
  if (hasChanged && planned && kindOf(planned) === 'replace') return 'replaced';
  if (isMoved) return 'moved';
  return hasChanged ? 'changed' : undefined;
}
