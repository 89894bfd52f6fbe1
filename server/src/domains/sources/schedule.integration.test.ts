import fs from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import type { Db } from '../../kernel/db.ts';
import { createLog } from '../../kernel/log.ts';
import { createOutbox } from '../../kernel/outbox.ts';
import { openGate } from '../../kernel/work-gate.ts';
import { accounts } from '../identity/schema.ts';
import { workspaces } from '../workspaces/schema.ts';
import { createSyncSchedule, type SyncSchedule } from './schedule.ts';
import { createSourcesStore, type SourceRow, type SourcesStore } from './store.ts';

const minute = 60_000;
const hour = 60 * minute;

let dir: string;
let db: Db;
let clock: ReturnType<typeof heldClock>;
let store: SourcesStore;
let schedule: SyncSchedule;
/** Sources that were synced, one list per advance of the time. */
let requestedIds: string[];
let isLedgerBroken: boolean;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  dir = tempDir();
  clock = heldClock();
  requestedIds = [];
  isLedgerBroken = false;
  open();
  db.orm.insert(accounts).values({ id: 'sub_a', createdAt: 0 }).run();
  for (const id of ['ws_a', 'ws_old']) {
    const names = { id, handle: id, displayName: id, type: 'personal' as const, ownerUserId: 'sub_a' };
    const archivedAt = id === 'ws_old' ? 1 : null;
    db.orm
      .insert(workspaces)
      .values({ ...names, archivedAt, createdAt: 0, updatedAt: 0 })
      .run();
  }
});
afterEach(() => {
  schedule.stop();
  db.close();
  vi.useRealTimers();
  fs.rmSync(dir, { recursive: true });
});

function open(): void {
  db = openTestLedger(dir);
  store = createSourcesStore(db);
  const outbox = createOutbox(db, clock);
  const watch = {
    syncLanes(id: string) {
      if (isLedgerBroken) throw new Error('no');
      requestedIds.push(id);
      return [];
    },
  };
  schedule = createSyncSchedule({
    db,
    clock,
    log: createLog('silent'),
    unattendedGate: openGate,
    outbox,
    store,
    watch,
  });
  notifySource = () => db.write(() => outbox.push({ workspaceId: 'ws_a', kind: 'source', recordId: 'x' }));
}
let notifySource: () => void;

const add = (id: string, more: Partial<SourceRow> = {}) =>
  store.insertSource({
    id,
    workspaceId: 'ws_a',
    name: id,
    url: 'https://example.com/a',
    defaultRef: 'HEAD',
    defaultPath: '.',
    authConnectionId: null,
    status: 'active',
    autoSync: true,
    codeHost: 'none',
    hookSecret: Buffer.alloc(1),
    polledAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...more,
  });
/** Advances every clock; returns the Sources that were requested during that time. */
function pass(ms: number): string[] {
  requestedIds = [];
  clock.advance(ms);
  // A timer fires in the millisecond after its time.
  vi.advanceTimersByTime(ms + 1);
  return requestedIds;
}

test('syncs a watched Source at once and then every hour, and no other', () => {
  add('watched');
  add('failing', { status: 'error' });
  add('off', { status: 'disabled' });
  add('by-hand', { autoSync: false });
  add('archived', { workspaceId: 'ws_old' });
  schedule.start();
  expect(requestedIds).toEqual(['watched', 'failing']);
  expect(pass(hour - 1)).toEqual([]);
  expect(pass(1)).toEqual(['watched', 'failing']);
});

test('sets no timer while nothing is watched, and syncs a newly watched Source at once', () => {
  add('later', { autoSync: false });
  schedule.start();
  expect(vi.getTimerCount()).toBe(0);
  store.updateSource('later', { autoSync: true });
  notifySource();
  expect(pass(1)).toEqual(['later']);
  store.updateSource('later', { autoSync: false });
  notifySource();
  expect(vi.getTimerCount()).toBe(0);
});

test('spreads Sources that are due together: five at once, the others a minute apart', () => {
  const ids = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, '0')}`);
  for (const id of ids) add(id);
  schedule.start();
  expect(requestedIds).toHaveLength(5);
  expect(pass(minute - 1)).toEqual([]);
  const seen = [...requestedIds];
  expect(seen).toEqual([]);
  expect(pass(1)).toHaveLength(5);
  expect(pass(minute)).toHaveLength(2);
  expect(pass(hour - 2 * minute)).toHaveLength(5);
  expect(pass(minute)).toHaveLength(5);
  expect(pass(minute)).toHaveLength(2);
});

test('resumes after a restart: no sync is repeated, missed ones are made up for', () => {
  add('one');
  schedule.start();
  schedule.stop();
  db.close();
  clock.advance(10 * minute);
  requestedIds = [];
  open();
  schedule.start();
  expect(requestedIds).toEqual([]);
  expect(pass(50 * minute)).toEqual(['one']);
  schedule.stop();
  db.close();
  clock.advance(30 * 24 * hour);
  requestedIds = [];
  open();
  schedule.start();
  expect(requestedIds).toEqual(['one']);
});

test('a clock change in either direction costs at most one more sync and stops none', () => {
  add('one');
  schedule.start();
  pass(hour);
  clock.advance(-30 * 24 * hour);
  expect(pass(hour)).toEqual(['one']);
  expect(pass(hour)).toEqual(['one']);
  clock.advance(365 * 24 * hour);
  expect(pass(hour)).toEqual(['one']);
  expect(pass(30 * minute)).toEqual([]);
  expect(pass(30 * minute)).toEqual(['one']);
});

test('retries a failing ledger after a minute', () => {
  add('one');
  isLedgerBroken = true;
  schedule.start();
  expect(store.findSource('one')?.polledAt).toBeNull();
  isLedgerBroken = false;
  expect(pass(minute)).toEqual(['one']);
});
