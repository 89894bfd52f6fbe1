import fs from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type Db, openDb } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { createOutbox, type Outbox } from '../../kernel/outbox.ts';
import { createCursors } from '../../kernel/page.ts';
import { createRunQueue, type Job, type RunQueue } from './queue.ts';
import { createRunsService, type RunsService } from './service.ts';
import type { RunRecord } from './store.ts';

let dir: string;
let db: Db;
let outbox: Outbox;
let runs: RunsService;
let queue: RunQueue;
beforeEach(() => {
  dir = tempDir();
  db = openDb(dir, () => {});
  db.sqlite.exec(`
    INSERT INTO accounts (id, created_at) VALUES ('sub_a', 0);
    INSERT INTO workspaces (id, handle, display_name, type, owner_user_id, created_at, updated_at)
      VALUES ('ws_a', 'a1', 'A', 'personal', 'sub_a', 0, 0);`);
  outbox = createOutbox(db, systemClock);
  runs = createRunsService({ db, clock: systemClock, outbox, cursors: createCursors('key') });
});
afterEach(async () => {
  vi.useRealTimers();
  await queue.stop();
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const make = (more: { capsuleId?: string; type?: 'plan' | 'source_sync' } = {}) =>
  runs.create({ id: newId('plan'), workspaceId: 'ws_a', type: 'plan', createdBy: 'sub_a', ...more }, []).id;
const statusOf = (id: string) => runs.getRecord(id).status;

/** Returns a handler whose Runs end when the test says so. */
function heldJob(concurrency = 1) {
  const starts: string[] = [];
  const finishers = new Map<string, () => void>();
  const hold = (how: string) => (run: RunRecord, signal: AbortSignal) => {
    starts.push(`${how} ${run.id}`);
    return new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve());
      finishers.set(run.id, () => {
        runs.move(run.id, 'finish');
        resolve();
      });
    });
  };
  const job: Job = {
    types: ['plan'],
    concurrency,
    execute: hold('execute'),
    resume: hold('resume'),
    cancel: () => {},
    fault: () => {},
  };
  return { job, starts, end: (id: string) => finishers.get(id)?.() };
}
const failures: string[] = [];
const log = { info: () => {}, warn: () => {}, error: (_: object, text: string) => void failures.push(text) };
const startWith = (...jobs: Job[]) => {
  queue = createRunQueue({ runs, outbox, clock: systemClock, log, jobs });
  queue.start();
};

test('releases a Run of a group when the plan that it waits for expires', async () => {
  const producer = make();
  const expires = Date.now() + 60_000;
  for (const event of ['claim', 'requestApproval'] as const) runs.move(producer, event);
  runs.store.updateRun(producer, { planExpiresAt: expires });
  db.sqlite.exec(`INSERT INTO run_groups (id, workspace_id, type, created_by, layers, created_at)
    VALUES ('rg_a', 'ws_a', 'workspace_update', 'sub_a', '[]', 0)`);
  const input = { waitsFor: [producer] };
  const waiting = { id: newId('plan'), workspaceId: 'ws_a', type: 'plan' as const, createdBy: 'sub_a' };
  runs.create({ ...waiting, runGroupId: 'rg_a', groupLayer: 1, input }, []);
  expect(runs.store.findNextRelease(Date.now())).toBe(expires);
  expect(runs.store.findNextRelease(expires + 1)).toBeUndefined();
  const held = heldJob();
  startWith(held.job);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(failures).toEqual([]);
});

test('claims Runs oldest first, up to the concurrency of their handler', async () => {
  const { job, starts, end } = heldJob(2);
  const [one, two, three] = [make(), make(), make()];
  startWith(job);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${one}`, `execute ${two}`]));
  expect([statusOf(one), statusOf(three)]).toEqual(['running', 'queued']);
  end(two);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${one}`, `execute ${two}`, `execute ${three}`]));
});

test('runs one Run per Capsule at a time, and Runs of other Capsules overtake waiting ones', async () => {
  const { job, starts, end } = heldJob(3);
  const [one, two, three] = [make({ capsuleId: 'cap_a' }), make({ capsuleId: 'cap_a' }), make({ capsuleId: 'cap_b' })];
  startWith(job);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${one}`, `execute ${three}`]));
  end(one);
  await vi.waitFor(() => expect(starts).toContain(`execute ${two}`));
});

test('claims a new Run at once and ignores one of another type', async () => {
  const { job, starts } = heldJob();
  startWith(job);
  const sync = make({ type: 'source_sync' });
  const plan = make();
  await vi.waitFor(() => expect(starts).toEqual([`execute ${plan}`]));
  expect(statusOf(sync)).toBe('queued');
});

test('a stopping queue leaves running Runs running, and the next queue resumes them', async () => {
  const first = heldJob();
  const id = make();
  startWith(first.job);
  await vi.waitFor(() => expect(first.starts).toHaveLength(1));
  await queue.stop();
  expect(statusOf(id)).toBe('running');
  const second = heldJob();
  startWith(second.job);
  expect(second.starts).toEqual([`resume ${id}`]);
});

test('a Run whose handler fails unexpectedly does not stay running, and the next Run starts', async () => {
  const { job, starts } = heldJob();
  const [broken, good] = [make(), make()];
  startWith({
    ...job,
    execute: (run, signal) => (run.id === broken ? Promise.reject(new Error('no')) : job.execute(run, signal)),
    fault: (run) => void runs.move(run.id, 'fail', { set: { errorCode: 'plan_failed' } }),
  });
  await vi.waitFor(() => expect(starts).toEqual([`execute ${good}`]));
  expect(runs.getRecord(broken)).toMatchObject({ status: 'failed', errorCode: 'plan_failed' });
});

test('a handler whose error handling also fails ends neither the queue nor the process', async () => {
  const { job, starts } = heldJob();
  const [broken, good] = [make(), make()];
  const fail = () => {
    throw new Error('no');
  };
  startWith({
    ...job,
    execute: async (run, signal) => (run.id === broken ? fail() : job.execute(run, signal)),
    fault: fail,
  });
  await vi.waitFor(() => expect(starts).toEqual([`execute ${good}`]));
  expect(statusOf(broken)).toBe('running');
});

test('claims nothing while the ledger rejects writes, and loses nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { job, starts } = heldJob();
  const id = make();
  db.sqlite.pragma('query_only = ON');
  startWith(job);
  await new Promise(setImmediate);
  expect([starts, statusOf(id)]).toEqual([[], 'queued']);
  db.sqlite.pragma('query_only = OFF');
  await vi.advanceTimersByTimeAsync(5_000);
  await new Promise(setImmediate);
  expect(starts).toEqual([`execute ${id}`]);
});
