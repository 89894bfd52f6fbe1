import { readState, type SecretTest, type State, type ToolName } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { digestOf, jsonDigest } from '#server/kernel/digest';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { packText } from '#server/kernel/packed';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import { mistypedOutputs, type OutputRule, publicOutputs } from './public-outputs.ts';
import type { OutputRow, StateVersionsStore } from './store.ts';

/** `mistyped` names the Outputs that are not public because of their type. */
type CommittedState = { stateVersionId: string; outputId: string; resourceCount: number; mistyped: string[] };
type NewState = {
  workspaceId: string;
  capsuleId: string;
  environment: string;
  generation: number;
  runId: string;
  sourceSnapshotId: string | undefined;
  toolName: ToolName;
  /** State in cleartext. */
  text: string;
  partial: boolean;
  /** Detects secret material of the Run. An Output that holds some is treated like one that is declared sensitive. */
  isSecret: SecretTest;
  /** Rule of the configuration that was applied. */
  publish: OutputRule;
  /** Outputs that may be shown at all; absent for all that are not sensitive. */
  shown?: readonly string[] | undefined;
};

type Deps = {
  store: Pick<StateVersionsStore, 'insertState' | 'insertOutput'>;
  clock: Clock;
  outbox: Outbox;
  vault: Vault;
};

/** Binds the sealed state of a StateVersion to its row. */
export const sealContextOf = (id: string, workspaceId: string) => ({
  table: 'state_versions',
  row: id,
  column: 'state',
  workspaceId,
});

/** Seals a state and projects its Outputs, inside the transaction that makes it current. */
export const createStateCommit =
  ({ store, clock, outbox, vault }: Deps) =>
  (input: NewState): CommittedState => {
    const state = readState(input.text);
    failpoint('state.insert');
    const id = newId('stateVersion');
    const outputId = newId('output');
    const createdAt = clock.now();
    const { workspaceId, capsuleId, environment, generation, toolName, partial } = input;
    store.insertState({
      id,
      workspaceId,
      capsuleId,
      environment,
      generation,
      createdByRunId: input.runId,
      sourceSnapshotId: input.sourceSnapshotId ?? null,
      resourceCount: state.resourceCount,
      partial,
      lineage: state.lineage,
      serial: state.serial,
      toolName,
      stateDigest: digestOf(input.text),
      state: vault.seal(sealContextOf(id, workspaceId), packText(input.text)),
      createdAt,
    });
    const shown = shownOutputs(state, input);
    const row: OutputRow = {
      id: outputId,
      workspaceId,
      capsuleId,
      stateVersionId: id,
      stateGeneration: generation,
      publicOutputs: publicOutputs(shown, input.publish),
      workspaceOutputs: shown,
      outputDigest: jsonDigest(shown),
      createdAt,
    };
    store.insertOutput(row);
    failpoint('state.inserted');
    outbox.push({ workspaceId, kind: 'state_version', recordId: id });
    const mistyped = mistypedOutputs(shown, input.publish);
    return { stateVersionId: id, outputId, resourceCount: state.resourceCount, mistyped };
  };

/** Returns the Outputs that every member of the Workspace may read. */
function shownOutputs(state: State, { isSecret, shown }: Pick<NewState, 'isSecret' | 'shown'>): JsonObject {
  const open = Object.entries(state.outputs).filter(
    ([name, { sensitive, value }]) => !sensitive && (shown?.includes(name) ?? true) && !holds(value, isSecret),
  );
  return Object.fromEntries(open.map(([name, { value }]) => [name, value]));
}

/** Reports whether a key or a leaf of a value is secret. */
function holds(value: Json, isSecret: SecretTest): boolean {
  if (!isContainer(value)) return value !== null && typeof value !== 'boolean' && isSecret(String(value));
  if (Array.isArray(value)) return value.some((item: Json) => holds(item, isSecret));
  return Object.entries(value).some(([key, item]) => isSecret(key) || holds(item, isSecret));
}
