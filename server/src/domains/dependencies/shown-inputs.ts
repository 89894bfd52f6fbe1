import type { CapsulesService } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import type { CurrentOutputs, StateVersionsService } from '#server/domains/state-versions/index';
import type { DependencyMode, MappedOutput } from '#shared/dependencies/contract';
import type { Json } from '#shared/kernel/json';
import type { DependenciesStore, DependencyRow } from './store.ts';

/** A variable of a Capsule that a Dependency feeds, for readers. */
export type DependencyInput = {
  variable: string;
  dependencyId: string;
  producerCapsuleId: string;
  /** Undefined for a Capsule of another Workspace. */
  producerName: string | undefined;
  outputName: string;
  mode: DependencyMode;
  required: boolean;
  /** False while the producer was never applied, or after it was destroyed. */
  hasState: boolean;
  /** Undefined for a whole state and for an Output that not every reader may see. */
  value: Json | undefined;
};

type Deps = {
  store: Pick<DependenciesStore, 'listOfConsumer'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'readOutputs'>;
  shares: Pick<OutputSharesService, 'findShared'>;
};

/** Lists what Dependencies feed into a Capsule. No sealed state is opened for it. */
export function createShownInputs({ store, capsules, states, shares }: Deps) {
  function readShown(row: DependencyRow, current: CurrentOutputs, from: string): Json | undefined {
    const { workspaceId } = capsules.getRow(row.producerCapsuleId);
    const find = row.mode === 'published_output' ? current.findPublic : current.findShown;
    if (workspaceId === row.workspaceId) return find(from)?.value;
    const share = shares.findShared(row.producerCapsuleId, row.workspaceId).get(from);
    return share === undefined || share.sensitive ? undefined : find(share.name)?.value;
  }

  function inputOf(row: DependencyRow, { from, to, required }: MappedOutput): DependencyInput {
    const producer = capsules.getRow(row.producerCapsuleId);
    const current = producer.status === 'destroyed' ? undefined : states.readOutputs(producer.id);
    return {
      variable: to,
      dependencyId: row.id,
      producerCapsuleId: producer.id,
      producerName: producer.workspaceId === row.workspaceId ? producer.name : undefined,
      outputName: from,
      mode: row.mode,
      required,
      hasState: current !== undefined,
      value: current && row.mode !== 'remote_state' ? readShown(row, current, from) : undefined,
    };
  }

  return {
    listInputs: (consumerId: string): DependencyInput[] =>
      store
        .listOfConsumer(consumerId)
        .flatMap((row) => Object.values(row.outputs).map((mapped) => inputOf(row, mapped))),
  };
}
