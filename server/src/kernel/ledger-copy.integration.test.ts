import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { openDb } from './db.ts';
import { requireSpaceForCopy, verifyLedgerCopy } from './ledger-copy.ts';
import { StartError } from './start-error.ts';

let dir: string;
let cleanups: (() => void)[];
beforeEach(() => {
  dir = tempDir();
  cleanups = [];
});
afterEach(() => {
  for (const cleanup of cleanups) cleanup();
  fs.rmSync(dir, { recursive: true });
});

const open = () =>
  openDb(dir, (error) => {
    throw error;
  });
const connect = (name: string) => {
  const sqlite = new Database(path.join(dir, name));
  cleanups.push(() => sqlite.close());
  return sqlite;
};
/** Creates a ledger without migrations, with a reader that holds an empty snapshot, and 500 rows committed after it. */
function ledgerWithReader(): Database.Database {
  const writer = connect('ledger.db');
  writer.pragma('journal_mode = WAL');
  writer.exec('CREATE TABLE before (text TEXT)');
  const reader = connect('ledger.db');
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM before').get();
  writer.exec('CREATE TABLE notes (text TEXT)');
  const insert = writer.prepare('INSERT INTO notes VALUES (?)');
  for (let row = 0; row < 500; row += 1) insert.run(`note ${row}`);
  return writer;
}
const copies = () => fs.readdirSync(path.join(dir, 'ledger-copies'));

describe('the copy of a ledger before its tables change', () => {
  it('holds every committed row while another process reads an older state', () => {
    ledgerWithReader();
    open().close();
    const [name = '', ...others] = copies();
    expect(others).toEqual([]);
    const copy = connect(`ledger-copies/${name}`);
    expect(copy.prepare('SELECT count(*) FROM notes').pluck().get()).toBe(500);
    expect(fs.statSync(path.join(dir, 'ledger-copies', name)).mode & 0o777).toBe(0o600);
  });

  it('is made before anything is changed, and a failure stops the start with the reason', () => {
    const writer = ledgerWithReader();
    fs.writeFileSync(path.join(dir, 'ledger-copies'), 'a file where the folder belongs');
    expect(open).toThrow(StartError);
    expect(open).toThrow(/Nothing was changed.*free space/);
    expect(writer.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual([
      'before',
      'notes',
    ]);
  });

  it('replaces what an interrupted copy left behind', () => {
    ledgerWithReader();
    fs.mkdirSync(path.join(dir, 'ledger-copies'));
    fs.writeFileSync(path.join(dir, 'ledger-copies', 'ledger-2030.db.tmp'), 'half');
    open().close();
    expect(copies()).toEqual([expect.stringMatching(/\.db$/)]);
  });

  it('is refused when a row or a table is missing, or the file is damaged', () => {
    const ledger = ledgerWithReader();
    const complete = path.join(dir, 'complete.db');
    ledger.prepare('VACUUM INTO ?').run(complete);
    expect(() => verifyLedgerCopy(ledger, complete)).not.toThrow();
    const copy = connect('complete.db');
    copy.exec('DELETE FROM notes WHERE rowid = 500');
    expect(() => verifyLedgerCopy(ledger, complete)).toThrow('499 of 500 rows of "notes"');
    copy.exec('DROP TABLE notes');
    expect(() => verifyLedgerCopy(ledger, complete)).toThrow('0 of 500 rows of "notes"');
    fs.writeFileSync(path.join(dir, 'damaged.db'), 'this is not a database file, whatever its name says');
    expect(() => verifyLedgerCopy(ledger, path.join(dir, 'damaged.db'))).toThrow(/not a database/);
  });
});

it('needs twice the size of the ledger, with its log, in free space', () => {
  fs.writeFileSync(path.join(dir, 'ledger.db'), Buffer.alloc(1_000));
  fs.writeFileSync(path.join(dir, 'ledger.db-wal'), Buffer.alloc(500));
  expect(() => requireSpaceForCopy(dir, 3_000)).not.toThrow();
  expect(() => requireSpaceForCopy(dir, 2_999)).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
});
