import { createPause } from '#server/domains/installation/index';
import { atMost, type Check, note, problem } from './finding.ts';
import { examineTrail, unrecordedRunMessage } from './trail.ts';

/** Runs SQLite's own checks of the file. */
export const ledgerCheck: Check = {
  name: 'ledger',
  needs: [],
  examine({ ledgerFault, store }) {
    if (ledgerFault !== undefined)
      return [problem({ message: ledgerFault, remedy: 'Name another folder, or restore a copy of ledger.db.' })];
    const remedy = 'Stop the server, copy the folder, and restore the newest copy in ledger-copies or a backup.';
    const damaged = store.integrity().map((line) => problem({ message: `The ledger is damaged: ${line}.`, remedy }));
    const tables = Map.groupBy(
      store.foreignKeys(),
      ({ table, parent }) => `${table} that reference a missing row of ${parent}`,
    );
    const loose = [...tables].map(([what, rows]) => problem({ message: `${rows.length} rows of ${what}.`, remedy }));
    return [...damaged, ...loose];
  },
};

export const migrationsCheck: Check = {
  name: 'migrations',
  needs: ['ledger'],
  examine({ pendingMigrations: count, isServerRunning }) {
    if (count === 0) return [];
    if (count < 0) {
      const message = 'The ledger was written by a newer version than this one.';
      return [problem({ message, remedy: 'Use that version, or a newer one.' })];
    }
    const message = `The ledger lacks ${count} change${count === 1 ? '' : 's'} of this version.`;
    if (isServerRunning) return [problem({ message, remedy: 'An older server runs. Stop it and start this version.' })];
    return [note({ message, remedy: 'Start the server: it copies the ledger and migrates it.' })];
  },
};

/** Notes that a restored installation is paused. */
export const pauseCheck: Check = {
  name: 'pause',
  needs: ['tables'],
  examine({ ledger }) {
    if (!createPause({ orm: ledger.orm, afterCommit: (work) => work() }).isPaused()) return [];
    const message = 'This installation was restored from a backup and is paused: scheduled work is off.';
    return [note({ message, remedy: 'Review it, then run groundctl installation resume.' })];
  },
};

/** Checks the audit trail, and that it names every Run. */
export const trailCheck: Check = {
  name: 'trail',
  needs: ['tables', 'key'],
  examine(examination) {
    const { broken, untoldRuns } = examineTrail(examination);
    const remedy = 'Copy the folder and find out who could write to it. Run groundctl audit verify to see this again.';
    const torn = broken ? [problem({ subject: `row ${broken.seq}`, message: broken.sentence, remedy })] : [];
    const unrecorded = untoldRuns.map((subject) => problem({ subject, message: unrecordedRunMessage, remedy }));
    return [...torn, ...atMost(unrecorded, 'Runs missing from the trail')];
  },
};

/** Checks that the key is available and opens the sealed values in the ledger. */
export const keyCheck: Check = {
  name: 'key',
  needs: ['tables'],
  examine({ vault, store, sealedColumns }) {
    if (vault.sealedBy) {
      return [
        problem({ message: vault.sealedBy.message, remedy: 'Restore the key: without it no sealed value opens.' }),
      ];
    }
    return sealedColumns.flatMap((sealedColumn) => {
      const closed = store.listSealed(sealedColumn).filter(({ id, workspaceId, sealed }) => {
        return !opens(() =>
          vault.open({ table: sealedColumn.table, column: sealedColumn.column, row: id, workspaceId }, sealed),
        );
      });
      const [first] = closed;
      if (!first) return [];
      const message = `${closed.length} sealed values of ${sealedColumn.table}.${sealedColumn.column} do not open.`;
      const remedy = 'They were altered, or sealed with another key. Restore the key, or set the values again.';
      return [problem({ subject: first.id, message, remedy })];
    });
  },
};

function opens(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
