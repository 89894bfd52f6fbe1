import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import {
  type CurrentOutput,
  type CurrentOutputs,
  isOfType,
  type StateVersionsService,
} from '#server/domains/state-versions/index';
import { canonicalJson } from '#server/kernel/digest';
import { type AppError, failedPrecondition } from '#server/kernel/errors';
import type { MappedOutput } from '#shared/dependencies/contract';
import type { Json } from '#shared/kernel/json';
import type { UsedDependency } from './schema.ts';
import type { DependencyRow } from './store.ts';

/** Values that a plan receives from other Capsules, in clear. */
export type InjectedValues = {
  variables: Record<string, Json>;
  /** Names among `variables` whose values are secret. */
  secretVariables: string[];
  /** StateVersions of producers whose whole state is passed on, by the variable that gets the path. */
  states: Record<string, string>;
};
export type Injection = { injected: InjectedValues; used: UsedDependency };

type Ports = {
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'readOutputs'>;
  shares: Pick<OutputSharesService, 'findShared'>;
};
/** An Output as the consumer may see it. */
type Seen = { output: CurrentOutput; sensitive: boolean; shareId?: string };

/** Reads the current values of one Dependency. Throws 409 `dependency_output_missing`, naming the Output and its Capsule. */
export function createValues({ capsules, states, shares }: Ports) {
  const missing = (row: DependencyRow, producer: CapsuleRow, { from }: MappedOutput, why: string): AppError =>
    failedPrecondition('dependency_output_missing', why, {
      dependencyId: row.id,
      producerCapsuleId: producer.id,
      producerCapsuleName: producer.name,
      output: from,
    });

  /** Outputs of a producer that the consumer may read: all within its own Workspace, shared ones of another. */
  function createOutputReader(row: DependencyRow, producer: CapsuleRow, current: CurrentOutputs) {
    const isOwn = producer.workspaceId === row.workspaceId;
    const shared = isOwn ? undefined : shares.findShared(producer.id, row.workspaceId);
    const find = row.mode === 'published_output' ? current.findPublic : current.find;
    return (from: string): Seen | undefined => {
      const share = shared?.get(from);
      if (shared && !share) return undefined;
      const output = find(share?.name ?? from);
      if (!output) return undefined;
      const sensitive = output.sensitive || share?.sensitive === true;
      return { output, sensitive, ...(share && { shareId: share.shareId }) };
    };
  }

  function whyNot(row: DependencyRow, producer: CapsuleRow, from: string): string {
    const what = `Output "${from}" of Capsule "${producer.name}"`;
    if (producer.workspaceId !== row.workspaceId && !shares.findShared(producer.id, row.workspaceId).has(from))
      return `${what} is not shared with this Workspace. Ask the other Workspace to share it, or remove the Dependency.`;
    return row.mode === 'published_output'
      ? `${what} does not exist, or is not public. Apply that Capsule with it, or change the Dependency.`
      : `${what} does not exist. Apply that Capsule with it, or change the Dependency.`;
  }

  type OutputReader = ReturnType<typeof createOutputReader>;

  /** Returns the value of one mapping; undefined where it is missing and optional. */
  function choose(at: { row: DependencyRow; producer: CapsuleRow; readOutput: OutputReader }, mapped: MappedOutput) {
    const { row, producer, readOutput } = at;
    const { from, required, type } = mapped;
    const seen = readOutput(from);
    if (seen && (type === undefined || isOfType(seen.output.value, type))) return seen;
    if (!required) return undefined;
    const why = seen
      ? `Output "${from}" of Capsule "${producer.name}" does not have the type ${type} of the Dependency. Correct that Capsule, or change the Dependency.`
      : whyNot(row, producer, from);
    throw missing(row, producer, mapped, why);
  }

  function fillIn(row: DependencyRow, producer: CapsuleRow, current: CurrentOutputs): Injection {
    const at = { row, producer, readOutput: createOutputReader(row, producer, current) };
    const chosen = Object.values(row.outputs).flatMap((mapped) => {
      const seen = choose(at, mapped);
      return seen ? [{ to: mapped.to, seen }] : [];
    });
    const variables = Object.fromEntries(chosen.map(({ to, seen }) => [to, seen.output.value]));
    const secretVariables = chosen.flatMap(({ to, seen }) => (seen.sensitive ? [to] : []));
    const shareIds = [...new Set(chosen.flatMap(({ seen }) => seen.shareId ?? []))];
    const used = usedOf(row, current, { names: Object.keys(variables), shareIds });
    return { injected: { variables, secretVariables, states: {} }, used };
  }

  return (row: DependencyRow): Injection | undefined => {
    const producer = capsules.getRow(row.producerCapsuleId);
    const current = producer.status === 'destroyed' ? undefined : states.readOutputs(producer.id);
    if (current && row.mode === 'remote_state') return wholeState(row, current);
    if (current) return fillIn(row, producer, current);
    const needed = Object.values(row.outputs).find(({ required }) => required);
    if (!needed) return undefined;
    const why = producer.status === 'destroyed' ? 'was destroyed' : 'was never applied';
    const next =
      producer.status === 'destroyed'
        ? 'Remove the Dependency, or use another Capsule.'
        : 'Apply it first, or remove the Dependency.';
    const what = row.mode === 'remote_state' ? 'there is no state to read' : `there is no Output "${needed.from}"`;
    throw missing(row, producer, needed, `Capsule "${producer.name}" ${why}, so ${what}. ${next}`);
  };
}

function wholeState(row: DependencyRow, current: CurrentOutputs): Injection {
  const names = Object.values(row.outputs).map(({ to }) => to);
  const states = Object.fromEntries(names.map((to) => [to, current.stateVersionId]));
  const used = usedOf(row, current, { names, shareIds: [] });
  // A reader of a state also reads its sensitive Outputs; their values are redacted like a secret of the Run.
  return { injected: { variables: {}, secretVariables: [], states }, used };
}

const usedOf = (
  row: DependencyRow,
  current: CurrentOutputs,
  { names, shareIds }: { names: readonly string[]; shareIds: string[] },
): UsedDependency => ({
  dependencyId: row.id,
  producerCapsuleId: row.producerCapsuleId,
  mode: row.mode,
  stateVersionId: current.stateVersionId,
  stateGeneration: current.generation,
  outputs: Object.values(row.outputs).flatMap(({ from, to }) => (names.includes(to) ? [{ from, to }] : [])),
  shareIds,
});

/** Combines all values; each variable has one Dependency, so nothing is overwritten. */
export function joinInjected(parts: readonly InjectedValues[]): InjectedValues {
  return {
    variables: Object.assign({}, ...parts.map(({ variables }) => variables)) as InjectedValues['variables'],
    secretVariables: parts.flatMap(({ secretVariables }) => secretVariables),
    states: Object.assign({}, ...parts.map(({ states }) => states)) as InjectedValues['states'],
  };
}

export const isSameValue = (one: Json | undefined, other: Json | undefined): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null);
