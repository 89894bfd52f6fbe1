import fs from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger } from '../../test/empty-ledger.ts';
import { tempDir } from '../../test/harness.ts';
import { systemClock } from './clock.ts';
import type { Db } from './db.ts';
import { createOutbox, everyWorkspace, type Outbox, type OutboxEvent, storedEvents } from './outbox.ts';

let dir: string;
let db: Db;
let faults: unknown[];
let outbox: Outbox;
beforeEach(() => {
  dir = tempDir();
  faults = [];
  db = openTestLedger(dir, (error) => faults.push(error));
  outbox = createOutbox(db, systemClock);
});
afterEach(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const push = (recordId: string, workspaceId = 'ws_a') => outbox.push({ workspaceId, kind: 'run', recordId });
const idsOf = (events: readonly OutboxEvent[]) => events.map(({ recordId }) => recordId);

test('listeners receive events after the commit, in sequence order', () => {
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

test('events of a rolled-back transaction are neither delivered nor stored, and their sequence numbers are reused', () => {
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

test('a listener that fails does not affect the other listeners', () => {
  const received: OutboxEvent[] = [];
  outbox.listen(() => {
    throw new Error('listener failed');
  });
  outbox.listen((event) => received.push(event));
  db.write(() => push('one'));
  expect([idsOf(received), faults.length]).toEqual([['one'], 1]);
});

test('an unsubscribed listener receives no more events', () => {
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

test('a Workspace reads its own events after a sequence number, oldest first, page by page', () => {
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

test('events of the whole machine are in the list of every Workspace', () => {
  db.write(() => {
    push('one');
    push('tool', everyWorkspace);
    push('two', 'ws_b');
  });
  expect(idsOf(outbox.list('ws_a', 0, 10))).toEqual(['one', 'tool']);
  expect(idsOf(outbox.list('ws_b', 0, 10))).toEqual(['tool', 'two']);
});

test('the newest 10,000 rows are kept and few more, and surplus rows are deleted in steps', () => {
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

test('surplus rows of a ledger are deleted in small steps', () => {
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
