import { readState, type State } from '#server/drivers/tofu/index';
import { jsonDigest } from '#server/kernel/digest';
import type { AddressList, StateDifference } from '#shared/restores/contract';

/** Addresses that a review lists of each kind; the rest is counted. */
const listed = 50;

/** Returns the digest of the content of each managed instance, by address. A replaced object that was left behind has its own. */
function contentsOf(state: State | undefined): Map<string, string> {
  const managed = (state?.resources ?? []).filter(({ mode }) => mode === 'managed');
  return new Map(
    managed.map(({ address, deposed, attributes }) => [
      deposed === undefined ? address : `${address} (deposed ${deposed})`,
      jsonDigest(attributes ?? null),
    ]),
  );
}

const listOf = (addresses: string[]): AddressList => ({
  total: addresses.length,
  addresses: addresses.sort().slice(0, listed),
});

/** Compares the managed instances of the current state, which may not exist, with those of the state that returns. */
export function differenceOf(current: State | undefined, restored: State): StateDifference {
  const before = contentsOf(current);
  const after = contentsOf(restored);
  const names = [...after.keys()];
  return {
    added: listOf(names.filter((name) => !before.has(name))),
    removed: listOf([...before.keys()].filter((name) => !after.has(name))),
    changed: listOf(names.filter((name) => before.has(name) && before.get(name) !== after.get(name))),
  };
}

/** Returns the function that compares texts of states with the current one, which is read once, like `differenceOf`. */
export function createStateComparison(current: string | undefined): (restored: string) => StateDifference {
  const before = current === undefined ? undefined : readState(current);
  return (restored) => differenceOf(before, readState(restored));
}
