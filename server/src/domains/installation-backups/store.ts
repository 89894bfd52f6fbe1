import Database from 'better-sqlite3';
import { createFormResourcesStore, type NativeLedger } from '#server/domains/form-resources/index';
import { createGcStore, type GcStore } from '#server/domains/gc/index';
import { pendingMigrations } from '#server/kernel/db';
import { createOrm } from '#server/kernel/orm';
import type { RestoredFrom } from '#shared/installation/contract';

/** The copied ledger of a backup. */
export type LedgerCopy = {
  formResources: NativeLedger;
  gc: Pick<GcStore, 'listSnapshots' | 'listNeededSnapshots'>;
  /** Number of migrations that it lacks; negative for a ledger of a newer version. */
  pendingMigrations(): number;
  installationId(): string | undefined;
  /** The last event that it contains. */
  sequence(): number;
  /** Epoch milliseconds of that event; undefined in a ledger without one. */
  lastEventAt(): number | undefined;
  /** The Capsules that are not destroyed, with the digest of the archive that each one was adopted from. */
  listCapsules(): { id: string; archiveDigest: string | null }[];
  listMasterKeys(): { id: string; source: string; state: string }[];
  /** False when a page or an index is damaged. */
  isSound(): boolean;
  /** Records that this ledger was restored, and where its keys are stored now, in one transaction. */
  markRestored(restored: RestoredFrom, keys: { ids: readonly string[]; source: string }): void;
  close(): void;
};

/** Opens a copied ledger, which nothing else uses. Throws SQLite's error for a file that is not a ledger. */
export function openLedgerCopy(file: string): LedgerCopy {
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    sqlite.pragma('trusted_schema = OFF');
    sqlite.pragma('synchronous = FULL');
    return { ...reading(sqlite), markRestored: markingOn(sqlite), close: () => sqlite.close() };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function reading(sqlite: Database.Database): Omit<LedgerCopy, 'markRestored' | 'close'> {
  return {
    // Its statements need the tables of this version.
    get gc() {
      return createGcStore({ orm: createOrm(sqlite) });
    },
    get formResources() {
      return createFormResourcesStore({ orm: createOrm(sqlite) });
    },
    pendingMigrations: () => pendingMigrations(sqlite),
    installationId: () =>
      sqlite.prepare("SELECT value FROM installation WHERE name = 'id'").pluck().get() as string | undefined,
    isSound: () => sqlite.pragma('quick_check(1)', { simple: true }) === 'ok',
    sequence: () =>
      (sqlite.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").pluck().get() as number | undefined) ??
      0,
    lastEventAt: () =>
      sqlite.prepare('SELECT created_at FROM outbox ORDER BY seq DESC LIMIT 1').pluck().get() as number | undefined,
    listCapsules: () =>
      sqlite
        .prepare(
          `SELECT capsules.id, source_snapshots.archive_digest AS archiveDigest FROM capsules
           LEFT JOIN source_snapshots
             ON source_snapshots.id = json_extract(capsules.adopted_source_revision, '$.sourceSnapshotId')
           WHERE capsules.status <> 'destroyed' ORDER BY capsules.id`,
        )
        .all() as { id: string; archiveDigest: string | null }[],
    listMasterKeys: () =>
      sqlite.prepare('SELECT id, source, state FROM master_keys').all() as {
        id: string;
        source: string;
        state: string;
      }[],
  };
}

const markingOn =
  (sqlite: Database.Database): LedgerCopy['markRestored'] =>
  (restored, { ids, source }) =>
    sqlite.transaction(() => {
      sqlite
        .prepare("INSERT OR REPLACE INTO installation (name, value) VALUES ('restored', ?)")
        .run(JSON.stringify(restored));
      const move = sqlite.prepare('UPDATE master_keys SET source = ?, keychain_missed = NULL WHERE id = ?');
      for (const id of ids) move.run(source, id);
    })();
