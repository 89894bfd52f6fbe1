import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState } from '#server/drivers/tofu/index';
import { isLedgerFault } from '#server/kernel/db';
import type { Json } from '#shared/kernel/json';
import type { DependencyRow } from './store.ts';
import { type InjectedValues, type Injection, isSameValue } from './values.ts';

type Ports = {
  states: Pick<StateVersionsService, 'readOutputs' | 'openVersion'>;
  give: (row: DependencyRow) => Injection | undefined;
};
/** Values of Outputs by name. */
type Values = ReadonlyMap<string, Json>;

/** Names whose values differ, including added and removed ones. */
export const changedBetween = (before: Values, after: Values): Set<string> =>
  new Set([...before.keys(), ...after.keys()].filter((name) => !isSameValue(before.get(name), after.get(name))));

/** Compares the values that were provided with the current ones. */
export function createChanges({ states, give }: Ports) {
  const inVersion = (id: string | undefined): Values =>
    new Map(
      id === undefined
        ? []
        : Object.entries(readState(states.openVersion(id)).outputs).map(([name, { value }]) => [name, value]),
    );

  /** A producer that was applied without a change of its Outputs has another state and provides the same values. */
  function changedInStates(planned: InjectedValues['states'], now: InjectedValues['states']): string[] {
    const moved = Object.entries(now).filter(([to, version]) => planned[to] !== version);
    return moved.flatMap(([to, version]) => [...changedBetween(inVersion(planned[to]), inVersion(version))]);
  }

  return {
    /** Counts a value that cannot be read as changed; the commit never fails for it. */
    outputsOf(capsuleId: string): Values {
      const all = orNothing(() => states.readOutputs(capsuleId)?.all());
      return new Map([...(all ?? [])].map(([name, { value }]) => [name, value]));
    },

    /** Names whose values have changed since a plan received them from one Dependency. */
    movedOn(row: DependencyRow, planned: InjectedValues): string[] {
      const now = orNothing(() => give(row))?.injected;
      // A missing Output is reported by the next plan.
      if (!now) return [];
      if (row.mode === 'remote_state') return changedInStates(planned.states, now.states);
      return Object.values(row.outputs)
        .filter(({ to }) => !isSameValue(now.variables[to], planned.variables[to]))
        .map(({ from }) => from);
    },
  };
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isLedgerFault(error)) throw error;
    return undefined;
  }
}
