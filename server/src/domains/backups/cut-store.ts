import type { BackupInput } from '#server/drivers/backup-archive/index';
import type { Vault } from '#server/drivers/vault/index';
import { openLedgerCopy } from '#server/kernel/ledger-copy';
import { ledgerTables, type TableRows } from './tables.ts';

/** Scope of a backup: a Workspace, or one Capsule of it. */
export type BackupScope = { workspaceId: string; capsuleId: string | undefined };

type Row = Record<string, unknown>;
type OwnedRows = Extract<TableRows, { workspace: string }>;
type CutInput = {
  copy: string;
  scope: BackupScope;
  openState: (row: SealedState) => Uint8Array;
  /** Ends the reading of members: what is read next throws its reason. */
  signal: AbortSignal;
};
export type SealedState = { id: string; workspaceId: string; state: Buffer };

export const recordsPath = (table: string): string => `records/${table}.jsonl`;
export const statePath = (stateVersionId: string): string => `states/${stateVersionId}`;

/** Rows that are read before other work of the server gets a turn. */
const chunkRows = 200;

const conditionOf = (rows: OwnedRows, { capsuleId }: BackupScope): string | undefined =>
  capsuleId === undefined ? rows.workspace : rows.capsule;

const bound = ({ workspaceId, capsuleId }: BackupScope) => ({ workspaceId, capsuleId: capsuleId ?? null });

/** Returns the rows of a table as lines of JSON; bytes are `{"$base64": …}`. */
async function* linesOf({ copy, scope, signal }: CutInput, table: string, rows: OwnedRows): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const sqlite = openLedgerCopy(copy);
  try {
    const statement = sqlite.prepare(`SELECT * FROM "${table}" WHERE ${conditionOf(rows, scope)}`).safeIntegers();
    let lines: string[] = [];
    for (const row of statement.iterate(bound(scope)) as Iterable<Row>) {
      for (const column of rows.without ?? []) delete row[column];
      lines.push(`${JSON.stringify(row, (_, value) => jsonOf(value))}\n`);
      if (lines.length < chunkRows) continue;
      yield Buffer.from(lines.join(''));
      signal.throwIfAborted();
      lines = [];
    }
    yield Buffer.from(lines.join(''));
  } finally {
    sqlite.close();
  }
}

/** `JSON.stringify` has called `toJSON` of a Buffer before. */
function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? { $base64: Buffer.from(data).toString('base64') } : value;
}

function stateOf({ copy, openState, signal }: CutInput, id: string): Uint8Array {
  signal.throwIfAborted();
  const sqlite = openLedgerCopy(copy);
  try {
    const row = sqlite
      .prepare('SELECT id, workspace_id AS workspaceId, state FROM state_versions WHERE id = ?')
      .get(id) as SealedState;
    return openState(row);
  } finally {
    sqlite.close();
  }
}

function listStateIds({ copy, scope, signal }: CutInput): string[] {
  signal.throwIfAborted();
  const rows = ledgerTables['state_versions'] as OwnedRows;
  const sqlite = openLedgerCopy(copy);
  try {
    const statement = sqlite.prepare(`SELECT id FROM state_versions WHERE ${conditionOf(rows, scope)} ORDER BY seq`);
    return statement.pluck().all(bound(scope)) as string[];
  } finally {
    sqlite.close();
  }
}

/** Returns the members of an archive from a copy of the ledger: first the records of each table, then the states. */
export function listMembers(input: CutInput): BackupInput[] {
  const records = Object.entries(ledgerTables).flatMap(([table, rows]): BackupInput[] => {
    if (!('workspace' in rows) || conditionOf(rows, input.scope) === undefined) return [];
    return [{ path: recordsPath(table), open: () => linesOf(input, table, rows) }];
  });
  const states = listStateIds(input).map(
    (id): BackupInput => ({ path: statePath(id), open: () => stateOf(input, id) }),
  );
  return [...records, ...states];
}

/** Returns the position of the copy in the sequence of committed changes. */
export function readLedgerSequence(copy: string): number {
  const sqlite = openLedgerCopy(copy);
  try {
    return (sqlite.prepare('SELECT max(seq) FROM outbox').pluck().get() as number | null) ?? 0;
  } finally {
    sqlite.close();
  }
}

/** Returns the function that opens a sealed state: its packed text. */
export const createOpenState =
  (vault: Pick<Vault, 'open'>) =>
  ({ id, workspaceId, state }: SealedState): Uint8Array =>
    vault.open({ table: 'state_versions', row: id, column: 'state', workspaceId }, state);
