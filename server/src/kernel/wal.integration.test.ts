import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { type Db, openDb } from './db.ts';

let dir: string;
let db: Db;
let reader: Database.Database;
const open = () =>
  openDb(dir, (error) => {
    throw error;
  });
beforeEach(() => {
  dir = tempDir();
  db = open();
  db.sqlite.exec('CREATE TABLE notes (text TEXT)');
  reader = new Database(path.join(dir, 'ledger.db'), { readonly: true });
});
afterEach(() => {
  reader.close();
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const note = () => db.write(() => db.sqlite.prepare("INSERT INTO notes VALUES ('a')").run());
const startReading = () => {
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM notes').get();
};
const logBytes = () => fs.statSync(path.join(dir, 'ledger.db-wal')).size;

describe('the write-ahead log', () => {
  it('is emptied at once when no other process reads', () => {
    note();
    expect(logBytes()).toBeGreaterThan(0);
    db.emptyLog();
    expect(logBytes()).toBe(0);
  });

  it('waits for no reader, and is emptied after the first commit once the reader has ended', () => {
    note();
    startReading();
    note();
    const pragmas = vi.spyOn(db.sqlite, 'pragma');
    db.emptyLog();
    // The checkpoint runs between the two, and cannot wait without a timeout.
    expect(pragmas.mock.calls.map(([pragma]) => pragma)).toEqual([
      'busy_timeout = 0',
      'wal_checkpoint(TRUNCATE)',
      'busy_timeout = 5000',
    ]);
    pragmas.mockRestore();
    expect(db.sqlite.pragma('busy_timeout', { simple: true })).toBe(5_000);
    note();
    expect(logBytes()).toBeGreaterThan(0);
    reader.exec('COMMIT');
    note();
    expect(logBytes()).toBe(0);
  });

  it('is emptied after the commit when a transaction requests it', () => {
    db.write(() => {
      db.sqlite.prepare("INSERT INTO notes VALUES ('a')").run();
      db.emptyLog();
    });
    expect(logBytes()).toBe(0);
  });

  it('that a server left behind is emptied by the next start', () => {
    note();
    const left = path.join(dir, 'left');
    fs.mkdirSync(left);
    for (const name of ['ledger.db', 'ledger.db-wal']) fs.copyFileSync(path.join(dir, name), path.join(left, name));
    expect(fs.statSync(path.join(left, 'ledger.db-wal')).size).toBeGreaterThan(0);
    const again = openDb(left, () => {});
    expect(fs.statSync(path.join(left, 'ledger.db-wal')).size).toBe(0);
    expect(again.sqlite.prepare('SELECT count(*) FROM notes').pluck().get()).toBe(1);
    again.close();
  });
});
