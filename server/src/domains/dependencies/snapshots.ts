import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { canonicalJson, hmacHex } from '#server/kernel/digest';
import { notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { parseExactly } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { DependenciesStore, DependencyRow, SnapshotRow } from './store.ts';
import { type InjectedValues, type Injection, joinInjected } from './values.ts';

/** Values that a Run receives from other Capsules, in clear; kept in memory only. */
export type InjectedRunValues = Pick<InjectedValues, 'variables' | 'secretVariables'> & {
  /** Whole states of producers, by the variable that gets the path of the file. */
  states: { variable: string; capsuleId: string; text: string }[];
  /** Sensitive Outputs in those states: values to be redacted. */
  secrets: Json[];
};

/** A value of a plan from another Capsule, in clear. */
export type InjectedValue = { producerCapsuleId: string; outputName: string; value: Json; isSecret: boolean };

type Deps = {
  clock: Clock;
  store: DependenciesStore;
  vault: Vault;
  states: Pick<StateVersionsService, 'openVersion'>;
  give: (row: DependencyRow) => Injection | undefined;
};

export const nothingInjected: InjectedRunValues = { variables: {}, secretVariables: [], states: [], secrets: [] };

/** Seals the values of a plan, and opens them again for that plan and its apply. */
export function createSnapshots({ clock, store, vault, states, give }: Deps) {
  const contextOf = ({ id, workspaceId }: Pick<SnapshotRow, 'id' | 'workspaceId'>) => ({
    table: 'dependency_snapshots',
    row: id,
    column: 'sealed',
    workspaceId,
  });

  function getRow(id: string): SnapshotRow {
    const row = store.findSnapshot(id);
    if (!row) throw notFound('dependency snapshot');
    return row;
  }

  const openInjected = (row: SnapshotRow): InjectedValues =>
    parseExactly(vault.open(contextOf(row), row.sealed).toString()) as InjectedValues;

  return {
    getRow,
    openInjected,

    /**
     * Reads the current values of every Dependency of a Capsule and seals them for a plan, in the transaction that creates the plan.
     * Undefined for a Capsule without Dependencies. 409 `dependency_output_missing`.
     */
    take(plan: { workspaceId: string; capsuleId: string; runId: string }): { id: string; digest: string } | undefined {
      const rows = store.listOfConsumer(plan.capsuleId);
      if (rows.length === 0) return undefined;
      const injections = rows.flatMap((row) => give(row) ?? []);
      const id = newId('dependencySnapshot');
      const plain = canonicalJson(joinInjected(injections.map(({ injected }) => injected)));
      const row: Omit<SnapshotRow, 'sealed'> = {
        ...plan,
        id,
        used: injections.map(({ used }) => used),
        digest: `sha256:${hmacHex(() => vault.installationKey('dependency-snapshot'), plain)}`,
        createdAt: clock.now(),
      };
      store.insertSnapshot({ ...row, sealed: vault.seal(contextOf(row), Buffer.from(plain)) });
      return { id, digest: row.digest };
    },

    /** Returns the values that the plan received, by variable, with their origins. The value of a whole state is its StateVersion. */
    listValues(id: string): Map<string, InjectedValue> {
      const row = getRow(id);
      const { variables, secretVariables, states: versions } = openInjected(row);
      const values = row.used.flatMap(({ producerCapsuleId, mode, outputs }) =>
        outputs.map(({ from, to }): [string, InjectedValue] => {
          const isState = mode === 'remote_state';
          const value = (isState ? versions[to] : variables[to]) ?? null;
          const isSecret = isState || secretVariables.includes(to);
          return [to, { producerCapsuleId, outputName: from, value, isSecret }];
        }),
      );
      return new Map(values);
    },

    /** Returns the values that the plan received, whatever happened to the producers since. */
    open(id: string): InjectedRunValues {
      const row = getRow(id);
      const { variables, secretVariables, states: versions } = openInjected(row);
      const whole = row.used.flatMap(({ producerCapsuleId, mode, outputs }) =>
        mode === 'remote_state' ? outputs.map(({ to }) => ({ variable: to, capsuleId: producerCapsuleId })) : [],
      );
      const files = whole.map((one) => ({ ...one, text: states.openVersion(versions[one.variable] ?? '') }));
      return { variables, secretVariables, states: files, secrets: files.flatMap(({ text }) => secretsIn(text)) };
    },
  };
}

const secretsIn = (stateText: string): Json[] =>
  Object.values(readState(stateText).outputs).flatMap(({ sensitive, value }) => (sensitive ? [value] : []));
