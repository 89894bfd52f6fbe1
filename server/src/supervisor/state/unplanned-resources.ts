import type { State } from '#server/drivers/tofu/index';
import type { PlannedChange } from '../../runner/contract/job.ts';

type Input = { changes: readonly PlannedChange[]; before: State | undefined; after: State };

/**
 * Returns the addresses of managed resources in the state after an apply that neither the state before it nor its plan
 * accounts for. `redact` turns the address of a state into that of the plan, which has no secret in it.
 */
export function findUnplannedResources(
  { changes, before, after }: Input,
  redact: (address: string) => string,
): readonly string[] {
  const expected = new Set([...managedIn(before).map(redact), ...changes.map(({ address }) => address)]);
  // Few addresses hold a secret, and a search for secrets costs more than a look into a set.
  const others = managedIn(after).filter((address) => !expected.has(address));
  return [...new Set(others.map(redact))].filter((address) => !expected.has(address)).sort();
}

const managedIn = (state: State | undefined): string[] =>
  (state?.resources ?? []).filter(({ mode }) => mode === 'managed').map(({ address }) => address);
