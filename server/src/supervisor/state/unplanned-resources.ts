import type { State } from '#server/drivers/tofu/index';
import type { PlannedChange } from '../../runner/contract/execution-spec.ts';

type Input = { changes: readonly PlannedChange[]; before: State | undefined; after: State };

/**
 * Returns the addresses of managed resources in the state after an apply that are neither in the state before it nor in
 * its plan. `redact` turns the address of a state into that of the plan, which contains no secret.
 */
export function findUnplannedResources(
  { changes, before, after }: Input,
  redact: (address: string) => string,
): readonly string[] {
  const expected = new Set([...managedIn(before).map(redact), ...changes.map(({ address }) => address)]);
  // Few addresses contain a secret, and a search for secrets costs more than a set lookup.
  const others = managedIn(after).filter((address) => !expected.has(address));
  return [...new Set(others.map(redact))].filter((address) => !expected.has(address)).sort();
}

const managedIn = (state: State | undefined): string[] =>
  (state?.resources ?? []).filter(({ mode }) => mode === 'managed').map(({ address }) => address);
