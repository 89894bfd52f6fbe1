import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { type Db, lockDataDir, openDb } from './db.ts';

let dir: string;
let db: Db;
let faults: unknown[];
const open = () => openDb(dir, (error) => faults.push(error));
beforeEach(() => {
  dir = tempDir();
  faults = [];
  db = open();
  db.sqlite.exec('CREATE TABLE notes (text TEXT)');
});
afterEach(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const note = (text: string) => db.sqlite.prepare('INSERT INTO notes VALUES (?)').run(text);
const notes = () => (db.sqlite.prepare('SELECT text FROM notes').all() as { text: string }[]).map(({ text }) => text);
const failing = (work: () => void) => () => {
  work();
  throw new Error('no');
};

describe('write', () => {
  test('commits what it did and gives its result', () => {
    expect(db.write(() => note('a').changes)).toBe(1);
    expect(notes()).toEqual(['a']);
  });

  test('rolls back when the callback throws', () => {
    expect(() => db.write(failing(() => note('a')))).toThrow('no');
    expect(notes()).toEqual([]);
  });

  test('inside a write undoes only its own part', () => {
    db.write(() => {
      note('outer');
      expect(() => db.write(failing(() => note('inner')))).toThrow('no');
      db.write(() => note('second'));
    });
    expect(notes()).toEqual(['outer', 'second']);
  });

  test('inside a write is undone with the outer one', () => {
    expect(() => db.write(failing(() => db.write(() => note('inner'))))).toThrow('no');
    expect(notes()).toEqual([]);
  });

  test('rejects a callback that awaits', () => {
    expect(() => db.write(async () => note('a'))).toThrow(/promise/);
    expect(notes()).toEqual([]);
  });

  test('reports that the disk cannot be written, and changes nothing', () => {
    db.sqlite.pragma('query_only = ON');
    expect(() => db.write(() => note('a'))).toThrow(expect.objectContaining({ code: 'ledger_read_only' }));
    db.sqlite.pragma('query_only = OFF');
    const pages = db.sqlite.pragma('page_count', { simple: true });
    db.sqlite.pragma(`max_page_count = ${pages}`);
    expect(() => db.write(() => note('x'.repeat(100_000)))).toThrow(
      expect.objectContaining({ code: 'ledger_read_only', status: 503 }),
    );
    expect(notes()).toEqual([]);
  });
});

describe('afterCommit', () => {
  const received: string[] = [];
  const recordAfterCommit = (text: string) => db.afterCommit(() => void received.push(text));
  beforeEach(() => void received.splice(0));

  test('runs at once when no transaction is open', () => {
    recordAfterCommit('now');
    expect(received).toEqual(['now']);
  });

  test('runs after the outermost commit, in order', () => {
    db.write(() => {
      recordAfterCommit('first');
      db.write(() => recordAfterCommit('second'));
      recordAfterCommit('third');
      expect(received).toEqual([]);
    });
    expect(received).toEqual(['first', 'second', 'third']);
  });

  test('never runs after a rollback', () => {
    db.write(() => {
      recordAfterCommit('kept');
      expect(() => db.write(failing(() => recordAfterCommit('dropped')))).toThrow();
    });
    expect(() => db.write(failing(() => recordAfterCommit('lost')))).toThrow();
    db.write(() => {});
    expect(received).toEqual(['kept']);
  });

  test('may start a write', () => {
    db.write(() =>
      db.afterCommit(() => {
        db.write(() => {
          note('later');
          recordAfterCommit('inner');
        });
        received.push('outer');
      }),
    );
    expect([notes(), received]).toEqual([['later'], ['inner', 'outer']]);
  });

  test('reports a listener that fails: the commit stands and the other listeners run', () => {
    const fault = new Error('listener failed');
    db.write(() => {
      note('a');
      db.afterCommit(() => {
        throw fault;
      });
      recordAfterCommit('next');
    });
    expect([notes(), received, faults]).toEqual([['a'], ['next'], [fault]]);
  });
});

describe('the file', () => {
  const copies = () => {
    const folder = path.join(dir, 'ledger-copies');
    return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
  };

  test('is durable: every commit reaches the disk, references hold', () => {
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema', 'recursive_triggers'];
    expect(pragmas.map((name) => db.sqlite.pragma(name, { simple: true }))).toEqual(['wal', 2, 1, 0, 1]);
    expect(() => db.sqlite.exec("INSERT INTO members VALUES ('ws_x','sub_x','wsm_x','owner','active',0,0)")).toThrow(
      /FOREIGN KEY/,
    );
  });

  test('is copied before a migration changes it, with all that was committed', () => {
    db.close();
    fs.rmSync(path.join(dir, 'ledger.db'));
    const old = new Database(path.join(dir, 'ledger.db'));
    old.pragma('journal_mode = WAL');
    old.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('from before')");
    // Left open during the copy: rows that are only in the write-ahead log must be copied too.
    db = open();
    old.close();
    expect(notes()).toEqual(['from before']);
    expect(db.sqlite.prepare('SELECT count(*) AS n FROM runs').get()).toEqual({ n: 0 });
    const [copy = ''] = copies();
    const backup = new Database(copy, { readonly: true });
    expect(backup.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'from before' }]);
    expect(backup.prepare("SELECT name FROM sqlite_master WHERE name = 'runs'").all()).toEqual([]);
    backup.close();
  });

  test('is not copied when it is new or up to date', () => {
    db.close();
    db = open();
    expect(copies()).toEqual([]);
  });
});

describe('the lock of a data folder', () => {
  test('is held by one at a time, and free again once released', () => {
    const first = lockDataDir(dir);
    expect(first).toBeDefined();
    expect(lockDataDir(dir)).toBeUndefined();
    first?.release();
    const second = lockDataDir(dir);
    expect(second).toBeDefined();
    second?.release();
  });
});
