import { canonicalJson } from '#server/kernel/digest';
import type { BindingDifference, InputDifference, InputSide } from '#shared/plans/comparison';
import type { ProviderResolution } from '#shared/runs/provider-resolution';
import type { RunInput, RunInputs } from './run-inputs.ts';

/** Returns the variables whose value or origin differs, by name. A value that is secret in one of the Runs is left out. */
export function compareInputs(before: RunInputs, after: RunInputs): InputDifference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    if (one && other && isEqual(one, other)) return [];
    const secret = one?.isSecret === true || other?.isSecret === true;
    const difference = one === undefined ? 'added' : other === undefined ? 'removed' : 'changed';
    return [
      {
        ...{ name, difference, secret },
        ...(one && { before: sideOf(one, secret) }),
        ...(other && { after: sideOf(other, secret) }),
      },
    ];
  });
}

const isEqual = (one: RunInput, other: RunInput): boolean =>
  canonicalJson([one.value, one.origin]) === canonicalJson([other.value, other.origin]);

const sideOf = ({ value, origin }: RunInput, secret: boolean): InputSide => ({ origin, ...(!secret && { value }) });

type Resolutions = readonly ProviderResolution[];

const tupleOf = ({ requirement: { providerSource, providerName, alias } }: ProviderResolution) => ({
  ...{ providerSource, providerName },
  ...(alias !== undefined && { alias }),
});

/** Returns the provider configurations that have another Connection, in the order of their tuples. */
export function compareBindings(before: Resolutions, after: Resolutions): BindingDifference[] {
  const byTuple = (resolutions: Resolutions) =>
    new Map(resolutions.map((one) => [canonicalJson(tupleOf(one)), one] as const));
  const [earlier, later] = [byTuple(before), byTuple(after)];
  return [...new Set([...earlier.keys(), ...later.keys()])].sort().flatMap((tuple) => {
    const [one, other] = [earlier.get(tuple), later.get(tuple)];
    const shown = other ?? one;
    if (shown === undefined || one?.connectionId === other?.connectionId) return [];
    return [
      {
        ...tupleOf(shown),
        ...(one?.connectionId !== undefined && { before: one.connectionId }),
        ...(other?.connectionId !== undefined && { after: other.connectionId }),
      },
    ];
  });
}
