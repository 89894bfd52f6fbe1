import fs from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { systemClock } from './clock.ts';
import { type Db, openDb } from './db.ts';
import { createOutbox, everyWorkspace, type Outbox, type OutboxEvent, storedEvents } from './outbox.ts';

let dir: string;
let db: Db;
let faults: unknown[];
let outbox: Outbox;
beforeEach(() => {
  dir = tempDir();
  faults = [];
  db = openDb(dir, (error) => faults.push(error));
  outbox = createOutbox(db, systemClock);
});
afterEach(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const push = (recordId: string, workspaceId = 'ws_a') => outbox.push({ workspaceId, kind: 'run', recordId });
const idsOf = (events: readonly OutboxEvent[]) => events.map(({ recordId }) => recordId);

test('news is heard after the commit, in the order of its sequence', () => {
  const received: OutboxEvent[] = [];
  outbox.listen((event) => received.push(event));
  db.write(() => {
    push('one');
    db.write(() => push('two'));
    push('three');
    expect(received).toEqual([]);
  });
  expect(idsOf(received)).toEqual(['one', 'two', 'three']);
  expect(received.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test('news of what was undone is neither heard nor kept, and its number is given again', () => {
  const received: OutboxEvent[] = [];
  outbox.listen((event) => received.push(event));
  db.write(() => {
    push('kept');
    expect(() =>
      db.write(() => {
        push('undone');
        throw new Error('no');
      }),
    ).toThrow();
  });
  db.write(() => push('next'));
  expect(received.map(({ seq, recordId }) => [seq, recordId])).toEqual([
    [1, 'kept'],
    [2, 'next'],
  ]);
  expect(idsOf(outbox.list('ws_a', 0, 10))).toEqual(['kept', 'next']);
});

test('a listener that fails keeps the news from nobody else', () => {
  const received: OutboxEvent[] = [];
  outbox.listen(() => {
    throw new Error('deaf');
  });
  outbox.listen((event) => received.push(event));
  db.write(() => push('one'));
  expect([idsOf(received), faults.length]).toEqual([['one'], 1]);
});

test('a listener that has gone hears nothing more', () => {
  const received: OutboxEvent[] = [];
  const stop = outbox.listen((event) => received.push(event));
  db.write(() => push('one'));
  stop();
  db.write(() => push('two'));
  db.write(() => {
    const stopNow = outbox.listen((event) => received.push(event));
    push('three');
    stopNow();
  });
  expect(idsOf(received)).toEqual(['one']);
});

test('a Workspace reads its own news after a place, oldest first, page by page', () => {
  db.write(() => {
    for (let n = 1; n <= 6; n += 1) push(`r${n}`, n % 2 === 0 ? 'ws_b' : 'ws_a');
    outbox.push({ workspaceId: 'ws_a', kind: 'run', recordId: 'last', status: 'failed' });
  });
  expect(idsOf(outbox.list('ws_a', 0, 2))).toEqual(['r1', 'r3']);
  expect(outbox.list('ws_a', 3, 5)).toEqual([
    { seq: 5, workspaceId: 'ws_a', kind: 'run', recordId: 'r5' },
    { seq: 7, workspaceId: 'ws_a', kind: 'run', recordId: 'last', status: 'failed' },
  ]);
});

test('news of the whole machine is in the list of every Workspace', () => {
  db.write(() => {
    push('one');
    push('tool', everyWorkspace);
    push('two', 'ws_b');
  });
  expect(idsOf(outbox.list('ws_a', 0, 10))).toEqual(['one', 'tool']);
  expect(idsOf(outbox.list('ws_b', 0, 10))).toEqual(['tool', 'two']);
});

test('the newest 10,000 rows are kept and little more, and a ledger with too many comes down in steps', () => {
  expect(outbox.bounds()).toEqual({ oldest: 0, newest: 0 });
  db.write(() => {
    for (let n = 1; n <= storedEvents; n += 1) push(`r${n}`);
  });
  expect(outbox.bounds()).toEqual({ oldest: 1, newest: storedEvents });
  db.write(() => {
    for (let n = 1; n <= 1_000; n += 1) push(`s${n}`);
  });
  expect(outbox.bounds()).toEqual({ oldest: 1_001, newest: 11_000 });
});

test('a ledger that holds too many comes down in small steps', () => {
  db.sqlite.exec(`WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n LIMIT 12000)
    INSERT INTO outbox (workspace_id, kind, record_id, created_at) SELECT 'ws_a', 'run', seq, 0 FROM n`);
  const oldest = Array.from({ length: 6 }, () => {
    db.write(() => {
      for (let n = 1; n <= 100; n += 1) push(`r${n}`);
    });
    return outbox.bounds().oldest;
  });
  expect(oldest).toEqual([501, 1_001, 1_501, 2_001, 2_501, 2_601]);
});
