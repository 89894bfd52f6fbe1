import type { State } from '#server/drivers/tofu/index';
import { isRemoval } from '#shared/plans/change';
import type { PlannedChange } from '../../runner/contract/execution-spec.ts';

/** A planned change that a state contradicts. */
type UnmetChange = { address: string; expected: 'present' | 'absent' };

/**
 * Returns the first planned change that a state contradicts: what is created, updated, imported or moved must be in it,
 * what is destroyed, forgotten or moved away must not. Values are not compared: an apply that restores what was changed
 * outside ends in the same state it began with, and a provider may keep a value. `redact` turns the address of a state
 * into that of the plan, which contains no secret.
 */
export function findUnmetChange(
  changes: readonly PlannedChange[],
  state: State,
  redact: (address: string) => string,
): UnmetChange | undefined {
  const managed = changes.filter(({ mode }) => mode === 'managed');
  const objects = state.resources.filter(({ mode }) => mode === 'managed');
  const live = objects.filter(({ deposed }) => deposed === undefined);
  const present = new Set(live.map(({ address }) => redact(address)));
  const missing = managed.find((change) => staysIn(change) && !present.has(change.address));
  if (missing !== undefined) return { address: missing.address, expected: 'present' };
  // Two addresses with secrets can be the same in the plan, so an absence is checked by the address of the state itself.
  const remaining = new Set(objects.map(keyOf));
  const expectedKeys = new Set(managed.filter(staysIn).map(keyOf));
  const removed = managed.filter(isRemoval);
  const former = managed.flatMap(({ previousAddress: address }) => (address === undefined ? [] : [{ address }]));
  const left = [...removed, ...former].find((one) => remaining.has(keyOf(one)) && !expectedKeys.has(keyOf(one)));
  return left && { address: left.address, expected: 'absent' };
}

const keyOf = ({ address, deposed = '' }: { address: string; deposed?: string | undefined }): string =>
  `${address} ${deposed}`;

/** A deposed object is never created, only destroyed. */
const staysIn = (change: PlannedChange): boolean => change.deposed === undefined && !isRemoval(change);
