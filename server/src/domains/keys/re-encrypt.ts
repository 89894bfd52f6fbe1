import { type KeyRing, type SealContext, scopeOf } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import type { Log } from '#server/kernel/log';
import type { JobRow, KeysStore, SealedColumn, SealedRow } from './store.ts';

const chunkRows = 64;
/** Chunk size: small enough that the ledger is blocked only briefly while a chunk is re-encrypted. */
const chunkBytes = 4_194_304;

type Outcome = 'resealed' | 'newest' | 'unreadable' | 'erased';

type Deps = {
  db: Pick<Db, 'write'>;
  log: Log;
  store: KeysStore;
  vault: KeyRing;
  columns: readonly SealedColumn[];
};

/** Re-encrypts one chunk, in one transaction with its cursor. False when none was left. */
export function createReEncryption({ db, log, store, vault, columns }: Deps) {
  const names = columns.map(nameOf);
  return (job: JobRow): boolean => {
    if (job.column === atEnd) return false;
    // A column that no longer exists restarts with the first one; values that are already re-encrypted are skipped quickly.
    const column = columns[Math.max(0, names.indexOf(job.column))];
    if (!column) return false;
    const rows = cut(store.listSealed(column, job.after, chunkRows));
    store.overwriting(() => db.write(() => takeChunk(job, column, rows)));
    return true;
  };

  function takeChunk(job: JobRow, column: SealedColumn, rows: readonly SealedRow[]): void {
    const counts = { resealed: 0, unreadable: 0 };
    for (const row of rows) {
      const outcome = reseal(column, row);
      if (outcome === 'resealed' || outcome === 'unreadable') counts[outcome] += 1;
    }
    const last = rows.at(-1);
    const next = names[names.indexOf(nameOf(column)) + 1] ?? atEnd;
    store.updateJob(job.id, {
      ...(last ? { column: nameOf(column), after: last.id } : { column: next, after: '' }),
      resealed: job.resealed + counts.resealed,
      unreadable: job.unreadable + counts.unreadable,
    });
  }

  function reseal(column: SealedColumn, { id, workspaceId }: SealedRow): Outcome {
    const context: SealContext = { table: column.table, row: id, column: column.column, workspaceId };
    const sealed = store.readSealed(column, id);
    if (!sealed) return 'newest';
    const plain = store.findNewestKey(scopeOf(workspaceId)) ? open(context, sealed) : openWithoutKey(context, sealed);
    if (plain === 'newest' || plain === 'erased') return plain;
    if (plain === undefined) return 'unreadable';
    store.replaceSealed(column, id, vault.seal(context, plain));
    return 'resealed';
  }

  /** A Workspace without a key was deleted, and its rows are still being removed; or it has interim values only. */
  function openWithoutKey(context: SealContext, sealed: Buffer): Buffer | 'erased' {
    try {
      return vault.open(context, sealed);
    } catch {
      return 'erased';
    }
  }

  function open(context: SealContext, sealed: Buffer): Buffer | 'newest' | undefined {
    try {
      return vault.isNewest(context, sealed) ? 'newest' : vault.open(context, sealed);
    } catch {
      log.error({ table: context.table, row: context.row }, 'a sealed value opens with no key and is left unchanged');
      return undefined;
    }
  }
}

const nameOf = ({ table, column }: SealedColumn): string => `${table}.${column}`;
/** Sorts before every table name. */
const atEnd = '-';

/** At least one row, and at most the size limit of a chunk. */
function cut(rows: readonly SealedRow[]): readonly SealedRow[] {
  let sum = 0;
  const end = rows.findIndex(({ bytes }, index) => {
    sum += bytes;
    return index > 0 && sum > chunkBytes;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
