import type { BackupManifest, BackupMember } from '#server/drivers/backup-archive/index';
import { BackupError, readBackupArchive } from '#server/drivers/backup-archive/index';
import type { ToolName } from '#server/drivers/tofu/index';
import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { recordsPath } from './cut-store.ts';

/** Head of a state in an archive, with its packed text. */
export type ArchivedState = {
  id: string;
  capsuleId: string;
  generation: number;
  toolName: ToolName;
  sourceSnapshotId: string | undefined;
  partial: boolean;
  shownOutputs: string[] | undefined;
  packed: Buffer;
};
export type ArchivedCapsule = { id: string; name: string; status: string };
/** States that a restore takes: the current ones of all Capsules or of one, or one generation of one. */
export type WantedStates = { capsuleId: string | undefined; generation: number | undefined };

type ReadInput = { file: string; identity: string; wanted: WantedStates; check: (manifest: BackupManifest) => void };

/** Reads Capsules and wanted states of an archive. Nothing is returned before every digest was checked. */
export async function readStates({ file, identity, wanted, check }: ReadInput) {
  const tables = new Map<string, JsonObject[]>();
  const packed = new Map<string, Buffer>();
  let ids: ReadonlySet<string> | undefined;
  const onMember = async ({ path }: BackupMember, content: AsyncIterable<Uint8Array>): Promise<void> => {
    if (neededTables.includes(path)) tables.set(path, linesOf(await contentOf(content)));
    if (!path.startsWith(statesPrefix)) return;
    ids ??= new Set(selectStates(tables, wanted).map(({ id }) => textOf(id)));
    const id = path.slice(statesPrefix.length);
    if (ids.has(id)) packed.set(id, await contentOf(content));
  };
  await readBackupArchive({ file, decryptWith: { identities: [identity] }, onManifest: check, onMember });
  const outputs = new Map(rowsOf(tables, 'outputs').map((row) => [textOf(row['state_version_id']), row]));
  return {
    capsules: rowsOf(tables, 'capsules').map(
      ({ id, name, status }): ArchivedCapsule => ({ id: textOf(id), name: textOf(name), status: textOf(status) }),
    ),
    states: selectStates(tables, wanted).map((row): ArchivedState => {
      const id = textOf(row['id']);
      const bytes = packed.get(id);
      if (bytes === undefined) throw missing();
      return stateOf(row, bytes, outputs.get(id));
    }),
  };
}

const statesPrefix = 'states/';
const neededTables = ['capsules', 'state_versions', 'outputs'].map(recordsPath);

async function contentOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

const linesOf = (bytes: Buffer): JsonObject[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);

const rowsOf = (tables: ReadonlyMap<string, JsonObject[]>, table: string): JsonObject[] =>
  tables.get(recordsPath(table)) ?? [];

function selectStates(
  tables: ReadonlyMap<string, JsonObject[]>,
  { capsuleId, generation }: WantedStates,
): JsonObject[] {
  const current = new Set(
    rowsOf(tables, 'capsules')
      .filter(({ status }) => capsuleId !== undefined || status !== 'destroyed')
      .map((row) => row['current_state_version_id']),
  );
  return rowsOf(tables, 'state_versions').filter(
    (row) =>
      (capsuleId === undefined || row['capsule_id'] === capsuleId) &&
      (generation === undefined ? current.has(row['id']) : row['generation'] === generation),
  );
}

const stateOf = (row: JsonObject, packed: Buffer, output: JsonObject | undefined): ArchivedState => ({
  id: textOf(row['id']),
  capsuleId: textOf(row['capsule_id']),
  generation: Number(row['generation']),
  toolName: row['tool_name'] === 'terraform' ? 'terraform' : 'tofu',
  sourceSnapshotId: typeof row['source_snapshot_id'] === 'string' ? row['source_snapshot_id'] : undefined,
  partial: row['partial'] === 1,
  shownOutputs: output && namesIn(output['workspace_outputs']),
  packed,
});

/** The column holds JSON as text. */
function namesIn(stored: Json | undefined): string[] | undefined {
  const value = JSON.parse(textOf(stored)) as Json;
  return isJsonObject(value) ? Object.keys(value) : undefined;
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw missing();
}

const missing = () => new BackupError('backup_damaged', 'The backup lacks a record or state that it names.');
