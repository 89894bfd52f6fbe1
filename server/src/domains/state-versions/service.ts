import type { CapsulesService } from '#server/domains/capsules/index';
import { readState, type SecretTest, type State, type ToolName } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { digestOf, jsonDigest } from '#server/kernel/digest';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { beforeSeq, type Cursors, type PageQuery, readPage } from '#server/kernel/page';
import { isContainer, type Json, type JsonObject } from '#shared/kernel/json';
import type { Output, StateVersion } from '#shared/state-versions/contract';
import { type CurrentOutputs, currentOutputsOf } from './current-outputs.ts';
import { mistypedOutputs, type OutputRule, publicOutputs } from './public-outputs.ts';
import { createStateVersionsStore, type OutputRow, type StateHead, type StateRow } from './store.ts';

export type StateVersionsService = ReturnType<typeof createStateVersionsService>;
/** `mistyped` names the Outputs that are not public because of their type. */
export type CommittedState = { stateVersionId: string; outputId: string; resourceCount: number; mistyped: string[] };
export type NewState = {
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
};

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  vault: Vault;
  capsules: Pick<CapsulesService, 'getRow'>;
};

export function createStateVersionsService({ db, clock, cursors, outbox, vault, capsules }: Deps) {
  const store = createStateVersionsStore(db);
  const contextOf = (id: string, workspaceId: string) => ({
    table: 'state_versions',
    row: id,
    column: 'state',
    workspaceId,
  });

  function getHead(id: string): StateHead {
    const head = store.findHead(id);
    if (!head) throw notFound('StateVersion');
    return head;
  }

  function openText(id: string): StateRow & { text: string } {
    const row = store.findState(id);
    if (!row) throw notFound('StateVersion');
    return { ...row, text: vault.open(contextOf(row.id, row.workspaceId), row.state).toString() };
  }

  function currentOutputRow(capsuleId: string): OutputRow | undefined {
    const { currentStateVersionId, currentStateGeneration } = capsules.getRow(capsuleId);
    if (currentStateVersionId === null) return undefined;
    const output = store.findOutput(currentStateVersionId);
    if (output?.stateGeneration === currentStateGeneration) return output;
    throw failedPrecondition(
      'current_output_inconsistent',
      'The Outputs do not belong to the current state. Plan and apply again.',
    );
  }

  return {
    /** Seals a state and projects its Outputs, inside the transaction that makes it current. */
    commit(input: NewState): CommittedState {
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
        state: vault.seal(contextOf(id, workspaceId), Buffer.from(input.text)),
        createdAt,
      });
      const shown = shownOutputs(state, input.isSecret);
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
    },

    /** Returns the current state of a Capsule in cleartext, for a Run; undefined before the first commit. */
    openCurrent(
      capsuleId: string,
    ): { text: string; digest: string; lineage: string; serial: number; toolName: ToolName } | undefined {
      const { currentStateVersionId } = capsules.getRow(capsuleId);
      if (currentStateVersionId === null) return undefined;
      const { text, stateDigest: digest, lineage, serial, toolName } = openText(currentStateVersionId);
      return { text, digest, lineage, serial, toolName };
    },

    /** Returns the text of a StateVersion in cleartext, for a Run. Throws 404 when it was deleted. */
    openVersion: (id: string): string => openText(id).text,

    findCurrentHead(capsuleId: string): StateHead | undefined {
      const { currentStateVersionId } = capsules.getRow(capsuleId);
      return currentStateVersionId === null ? undefined : store.findHead(currentStateVersionId);
    },

    findHead: store.findHead,
    findWorkspace: (id: string): string | undefined => store.findHead(id)?.workspaceId,

    getStateVersion(id: string): { stateVersion: StateVersion; output?: Output } {
      const output = store.findOutput(id);
      return { stateVersion: stateVersionOf(getHead(id)), ...(output && { output: outputOf(output) }) };
    },

    getCurrentOutput(capsuleId: string): Output | null {
      const output = currentOutputRow(capsuleId);
      return output ? outputOf(output) : null;
    },

    /**
     * Returns the current Outputs of a Capsule, including sensitive ones; undefined before the first commit. The sealed
     * state is opened only for an Output that not every reader may see. Throws 409 `current_output_inconsistent`.
     */
    readOutputs(capsuleId: string): CurrentOutputs | undefined {
      const row = currentOutputRow(capsuleId);
      return row && currentOutputsOf(row, () => openText(row.stateVersionId).text);
    },

    listStateVersions(capsuleId: string, query: PageQuery): { stateVersions: StateVersion[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `state-versions:${capsuleId}`,
        fetch: (after, limit) => store.listHeads(capsuleId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      return { stateVersions: rows.map(stateVersionOf), ...next };
    },

    listCurrent(workspaceId: string, query: PageQuery): { stateVersions: StateVersion[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `current-state-versions:${workspaceId}`,
        fetch: (after, limit) => store.listCurrent(workspaceId, limit, String(after?.[0] ?? '')),
        positionOf: (row) => [row.capsuleId],
      });
      return { stateVersions: rows.map(stateVersionOf), ...next };
    },
  };
}

/** Returns the Outputs that every member of the Workspace may read. */
function shownOutputs(state: State, isSecret: SecretTest): JsonObject {
  const open = Object.entries(state.outputs).filter(
    ([, { sensitive, value }]) => !sensitive && !holds(value, isSecret),
  );
  return Object.fromEntries(open.map(([name, { value }]) => [name, value]));
}

/** Reports whether a key or a leaf of a value is secret. */
function holds(value: Json, isSecret: SecretTest): boolean {
  if (!isContainer(value)) return value !== null && typeof value !== 'boolean' && isSecret(String(value));
  if (Array.isArray(value)) return value.some((item: Json) => holds(item, isSecret));
  return Object.entries(value).some(([key, item]) => isSecret(key) || holds(item, isSecret));
}

const stateVersionOf = (row: StateHead): StateVersion => ({
  id: row.id,
  workspaceId: row.workspaceId,
  capsuleId: row.capsuleId,
  environment: row.environment,
  generation: row.generation,
  createdByRunId: row.createdByRunId,
  ...(row.sourceSnapshotId !== null && { sourceSnapshotId: row.sourceSnapshotId }),
  resourceCount: row.resourceCount,
  ...(row.partial && { partial: true as const }),
  createdAt: isoTime(row.createdAt),
});

const outputOf = ({ stateVersionId: _, createdAt, ...row }: OutputRow): Output =>
  ({ ...row, createdAt: isoTime(createdAt) }) as unknown as Output;
