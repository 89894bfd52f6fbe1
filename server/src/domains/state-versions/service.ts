import type { CapsulesService } from '#server/domains/capsules/index';
import type { ToolName } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { unpackText } from '#server/kernel/packed';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { JsonObject } from '#shared/kernel/json';
import type { stateVersionsApi } from '#shared/state-versions/api';
import type { Output, StateVersion } from '#shared/state-versions/contract';
import { createStateCommit, sealContextOf } from './commit.ts';
import { type CurrentOutputs, currentOutputsOf } from './current-outputs.ts';
import { outputOf, stateVersionOf } from './records.ts';
import {
  createStateVersionsStore,
  type OutputRow,
  type StateHead,
  type StateRow,
  type StateVersionsStore,
} from './store.ts';

export type StateVersionsService = ReturnType<typeof createStateVersionsService>;

/** Public Outputs of a state by name, and where they come from. */
export type CurrentPublicOutputs = {
  runId: string;
  stateVersionId: string;
  outputId: string;
  outputDigest: string;
  /** True for the state of an apply that failed. */
  partial: boolean;
  values: JsonObject;
};

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  vault: Vault;
  capsules: Pick<CapsulesService, 'getRow'>;
};

/** The StateVersions of Capsules and their Outputs. */
export function createStateVersionsService(deps: Deps) {
  const { vault, capsules } = deps;
  const store = createStateVersionsStore(deps.db);

  function getHead(id: string): StateHead {
    const head = store.findHead(id);
    if (!head) throw notFound('StateVersion');
    return head;
  }

  function openText(id: string): StateRow & { text: string } {
    const row = store.findState(id);
    if (!row) throw notFound('StateVersion');
    return { ...row, text: unpackText(openBytes(row)) };
  }

  const openBytes = (row: StateRow): Buffer => vault.open(sealContextOf(row.id, row.workspaceId), row.state);

  return {
    commit: createStateCommit({ ...deps, store }),
    ...createStateLists(store, deps.cursors),
    ...createOutputReaders({ store, capsules, getHead, openText }),
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

    /** Returns a state as it is stored, in clear and perhaps compressed: for a worker, which reads it elsewhere. */
    openPacked(id: string): Buffer {
      const row = store.findState(id);
      if (!row) throw notFound('StateVersion');
      return openBytes(row);
    },

    findCurrentHead(capsuleId: string): StateHead | undefined {
      const { currentStateVersionId } = capsules.getRow(capsuleId);
      return currentStateVersionId === null ? undefined : store.findHead(currentStateVersionId);
    },

    findHead: store.findHead,
    /** Returns the digest of the state that an apply committed. */
    findDigestOfRun: store.findDigestOfRun,
    findHolder: store.findHolder,
    findWorkspace: store.findWorkspace,

    getStateVersion(id: string): { stateVersion: StateVersion; output?: Output } {
      const output = store.findOutput(id);
      return { stateVersion: stateVersionOf(getHead(id)), ...(output && { output: outputOf(output) }) };
    },
  };
}

type ReaderPorts = {
  store: Pick<StateVersionsStore, 'findOutput'>;
  capsules: Deps['capsules'];
  getHead: (id: string) => StateHead;
  openText: (id: string) => { text: string };
};

/** Reads the Outputs of current states. */
function createOutputReaders({ store, capsules, getHead, openText }: ReaderPorts) {
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
    getCurrentOutput(capsuleId: string): Output | null {
      const output = currentOutputRow(capsuleId);
      return output ? outputOf(output) : null;
    },

    /**
     * Returns the public Outputs of the current state with their origin; undefined before the first commit. Throws 409
     * `current_output_inconsistent`.
     */
    findPublicOutputs(capsuleId: string): CurrentPublicOutputs | undefined {
      const row = currentOutputRow(capsuleId);
      if (!row) return undefined;
      const { id: outputId, stateVersionId, outputDigest, publicOutputs: values } = row;
      const { createdByRunId: runId, partial } = getHead(stateVersionId);
      return { runId, stateVersionId, outputId, outputDigest, partial, values };
    },

    /**
     * Returns the current Outputs of a Capsule, including sensitive ones; undefined before the first commit. The sealed
     * state is opened only for an Output that not every reader may see. Throws 409 `current_output_inconsistent`.
     */
    readOutputs(capsuleId: string): CurrentOutputs | undefined {
      const row = currentOutputRow(capsuleId);
      return row && currentOutputsOf(row, () => openText(row.stateVersionId).text);
    },
  };
}

function createStateLists(store: Pick<StateVersionsStore, 'listHeads' | 'listCurrent'>, cursors: Cursors) {
  return {
    listStateVersions(
      capsuleId: string,
      query: ListQueryOf<typeof stateVersionsApi.listStateVersions>,
    ): { stateVersions: StateVersion[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `state-versions:${capsuleId}`,
        fetch: (after, limit) => store.listHeads(capsuleId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      return { stateVersions: rows.map(stateVersionOf), ...next };
    },

    listCurrent(
      workspaceId: string,
      query: ListQueryOf<typeof stateVersionsApi.listCurrentStateVersions>,
    ): { stateVersions: StateVersion[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `current-state-versions:${workspaceId}`,
        fetch: (after, limit) => store.listCurrent(workspaceId, limit, String(after?.[0] ?? '')),
        positionOf: (row) => [row.capsuleId],
      });
      return { stateVersions: rows.map(stateVersionOf), ...next };
    },
  };
}
