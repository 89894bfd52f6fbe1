import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { tempDir } from '../../../test/harness.ts';
import { capsuleRunInput, syncInput } from '../../../test/run-input.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { createOutbox, type Outbox } from '../../kernel/outbox.ts';
import { createCursors } from '../../kernel/page.ts';
import { createWorkGate, type WorkGate } from '../../kernel/work-gate.ts';
import type { RunHandler } from './handler.ts';
import type { NewRun } from './moves.ts';
import { createRunQueue, type RunQueue } from './queue.ts';
import type { RunRecord } from './run-record.ts';
import { createRunsService, type RunsService } from './service.ts';

let dir: string;
let db: Db;
let outbox: Outbox;
let runs: RunsService;
let queue: RunQueue;
let gate: WorkGate;
let setOpen: (isOpen: boolean) => void;
beforeEach(() => {
  ({ gate, setOpen } = switchedGate());
  dir = tempDir();
  db = openTestLedger(dir);
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

function switchedGate() {
  let isOpen = true;
  let changed = () => {};
  const condition = {
    mayAct: () => isOpen,
    onChange: (listener: () => void) => {
      changed = listener;
    },
  };
  const set = (next: boolean) => {
    isOpen = next;
    changed();
  };
  return { gate: createWorkGate([condition]), setOpen: set };
}

const scope = { workspaceId: 'ws_a', createdBy: 'sub_a' };
const make = ({
  capsuleId = newId('capsule'),
  type = 'plan',
  runnerPool = 'local',
}: {
  capsuleId?: string;
  type?: 'plan' | 'source_sync';
  runnerPool?: string;
} = {}) => {
  const run: NewRun =
    type === 'plan'
      ? { ...scope, id: newId('plan'), type, capsuleId, runnerPool, input: capsuleRunInput() }
      : { ...scope, id: newId('sync'), type, sourceId: newId('source'), input: syncInput };
  return runs.create(run, []).id;
};
const statusOf = (id: string) => runs.getRecord(id).status;

/** Returns a handler whose Runs end when the test says so. */
function heldHandler(concurrency = 1) {
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
  const handler: RunHandler = {
    types: ['plan'],
    concurrency,
    execute: hold('execute'),
    resume: hold('resume'),
    cancel: () => {},
    fault: () => {},
  };
  return { handler, starts, end: (id: string) => finishers.get(id)?.() };
}
const failures: string[] = [];
const log = { info: () => {}, warn: () => {}, error: (_: object, text: string) => void failures.push(text) };
const startWith = (...handlers: RunHandler[]) => {
  queue = createRunQueue({ runs, outbox, clock: systemClock, log, handlers, workGate: gate });
  queue.start();
};

test('releases a Run of a group when the plan that it waits for expires', async () => {
  const producer = make();
  const expires = Date.now() + 60_000;
  for (const event of ['claim', 'requestApproval'] as const) runs.move(producer, event);
  runs.store.updateRun(producer, { planExpiresAt: expires });
  db.sqlite.exec(`INSERT INTO run_groups (id, workspace_id, type, created_by, layers, created_at)
    VALUES ('rg_a', 'ws_a', 'workspace_update', 'sub_a', '[]', 0)`);
  const input = capsuleRunInput({ waitsFor: [producer] });
  const waiting = { ...scope, id: newId('plan'), type: 'plan' as const, capsuleId: newId('capsule') };
  runs.create({ ...waiting, runGroupId: 'rg_a', groupLayer: 1, input }, []);
  expect(runs.store.findNextRelease(Date.now())).toBe(expires);
  expect(runs.store.findNextRelease(expires + 1)).toBeUndefined();
  const held = heldHandler();
  startWith(held.handler);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(failures).toEqual([]);
});

test('claims Runs oldest first, up to the concurrency of their handler', async () => {
  const { handler, starts, end } = heldHandler(2);
  const [one, two, three] = [make(), make(), make()];
  startWith(handler);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${one}`, `execute ${two}`]));
  expect([statusOf(one), statusOf(three)]).toEqual(['running', 'queued']);
  end(two);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${one}`, `execute ${two}`, `execute ${three}`]));
});

test('runs one Run per Capsule at a time, and Runs of other Capsules overtake waiting ones', async () => {
  const { handler, starts, end } = heldHandler(3);
  const [one, two, three] = [make({ capsuleId: 'cap_a' }), make({ capsuleId: 'cap_a' }), make({ capsuleId: 'cap_b' })];
  startWith(handler);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${one}`, `execute ${three}`]));
  end(one);
  await vi.waitFor(() => expect(starts).toContain(`execute ${two}`));
});

test('claims a new Run at once and ignores one of another type', async () => {
  const { handler, starts } = heldHandler();
  startWith(handler);
  const sync = make({ type: 'source_sync' });
  const plan = make();
  await vi.waitFor(() => expect(starts).toEqual([`execute ${plan}`]));
  expect(statusOf(sync)).toBe('queued');
});

test('a stopping queue leaves running Runs running, and the next queue resumes them', async () => {
  const first = heldHandler();
  const id = make();
  startWith(first.handler);
  await vi.waitFor(() => expect(first.starts).toHaveLength(1));
  await queue.stop();
  expect(statusOf(id)).toBe('running');
  const second = heldHandler();
  startWith(second.handler);
  expect(second.starts).toEqual([`resume ${id}`]);
});

test('a Run whose handler fails unexpectedly does not stay running, and the next Run starts', async () => {
  const { handler, starts } = heldHandler();
  const [broken, good] = [make(), make()];
  startWith({
    ...handler,
    execute: (run, signal, slot) =>
      run.id === broken ? Promise.reject(new Error('no')) : handler.execute(run, signal, slot),
    fault: (run) => void runs.move(run.id, 'fail', { set: { errorCode: 'plan_failed' } }),
  });
  await vi.waitFor(() => expect(starts).toEqual([`execute ${good}`]));
  expect(runs.getRecord(broken)).toMatchObject({ status: 'failed', errorCode: 'plan_failed' });
});

test('a handler whose error handling also fails ends neither the queue nor the process', async () => {
  const { handler, starts } = heldHandler();
  const [broken, good] = [make(), make()];
  const fail = () => {
    throw new Error('no');
  };
  startWith({
    ...handler,
    execute: async (run, signal, slot) => (run.id === broken ? fail() : handler.execute(run, signal, slot)),
    fault: fail,
  });
  await vi.waitFor(() => expect(starts).toEqual([`execute ${good}`]));
  expect(statusOf(broken)).toBe('running');
});

test('a Run that waits leaves its slot, and gets one back before queued Runs', async () => {
  const { handler, starts, end } = heldHandler();
  const [waiting, other, queued] = [make(), make(), make()];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  startWith({
    ...handler,
    async execute(run, signal, slot) {
      if (run.id === waiting) {
        slot.leave();
        await answered;
        await slot.enter(signal);
      }
      return handler.execute(run, signal, slot);
    },
  });
  await vi.waitFor(() => expect(starts).toEqual([`execute ${other}`]));
  answer();
  await new Promise(setImmediate);
  expect([waiting, other, queued].map(statusOf)).toEqual(['running', 'running', 'queued']);
  end(other);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${other}`, `execute ${waiting}`]));
  expect(statusOf(queued)).toBe('queued');
});

describe('while its gate is closed, the queue', () => {
  it('claims nothing, and claims when it opens', async () => {
    setOpen(false);
    const { handler, starts } = heldHandler();
    const id = make();
    startWith(handler);
    await new Promise(setImmediate);
    expect([starts, statusOf(id)]).toEqual([[], 'queued']);
    setOpen(true);
    await vi.waitFor(() => expect(starts).toEqual([`execute ${id}`]));
  });

  it('resumes only Runs that it follows, and the others once it opens', async () => {
    setOpen(false);
    const { handler, starts } = heldHandler(3);
    const [followed, left] = [make(), make()];
    for (const id of [followed, left]) runs.move(id, 'claim');
    startWith({ ...handler, isFollowed: ({ id }) => id === followed });
    expect(starts).toEqual([`resume ${followed}`]);
    setOpen(true);
    expect(starts).toEqual([`resume ${followed}`, `resume ${left}`]);
  });
});

const damage = (...ids: string[]) => {
  const update = db.sqlite.prepare(`UPDATE runs SET input = '{"reportId":1}' WHERE id = ?`);
  for (const id of ids) update.run(id);
};

test('a damaged row ends, and stops neither the queue nor a list', async () => {
  const { handler, starts } = heldHandler();
  const [waiting, interrupted, good] = [make(), make(), make()];
  runs.move(interrupted, 'claim');
  damage(waiting, interrupted);
  startWith(handler);
  await vi.waitFor(() => expect(starts).toEqual([`execute ${good}`]));
  expect(runs.listRuns('ws_a', { limit: 10 }).runs).toMatchObject([
    { id: good, status: 'running' },
    { id: interrupted, status: 'failed', errorCode: 'plan_failed' },
    { id: waiting, status: 'failed', errorCode: 'plan_failed' },
  ]);
});

test('a running apply with a damaged row stays running, so that no other Run starts on its Capsule', async () => {
  const { handler, starts } = heldHandler(3);
  const capsuleId = newId('capsule');
  const apply = { ...scope, id: newId('apply'), type: 'apply' as const, capsuleId, planRunId: newId('plan') };
  runs.create({ ...apply, input: capsuleRunInput() }, []);
  runs.move(apply.id, 'claim');
  damage(apply.id);
  const [next, other] = [make({ capsuleId }), make()];
  startWith({ ...handler, types: ['plan', 'apply'] });
  await vi.waitFor(() => expect(starts).toEqual([`execute ${other}`]));
  expect([apply.id, next].map(statusOf)).toEqual(['running', 'queued']);
});

test('claims nothing while the ledger rejects writes, and loses nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { handler, starts } = heldHandler();
  const id = make();
  db.sqlite.pragma('query_only = ON');
  startWith(handler);
  await new Promise(setImmediate);
  expect([starts, statusOf(id)]).toEqual([[], 'queued']);
  db.sqlite.pragma('query_only = OFF');
  await vi.advanceTimersByTimeAsync(5_000);
  await new Promise(setImmediate);
  expect(starts).toEqual([`execute ${id}`]);
});

describe('with pools of runner machines, the queue', () => {
  const [office, site] = [newId('runnerPool'), newId('runnerPool')];

  it('claims only Runs of `local` without a request, and those of one pool on request, oldest first', async () => {
    const { handler, starts } = heldHandler(2);
    const [one, two] = [make({ runnerPool: office }), make({ runnerPool: office })];
    const [other, local] = [make({ runnerPool: site }), make()];
    startWith(handler);
    await vi.waitFor(() => expect(starts).toEqual([`execute ${local}`]));
    expect(queue.claim(office)?.id).toBe(one);
    expect(queue.claim(office)?.id).toBe(two);
    expect(queue.claim(office)).toBeUndefined();
    expect(starts).toEqual([local, one, two].map((id) => `execute ${id}`));
    expect(statusOf(other)).toBe('queued');
  });

  it('gives Runs of pools no slot of this machine', async () => {
    const { handler, starts } = heldHandler(1);
    const [remote, local, next] = [make({ runnerPool: office }), make(), make()];
    startWith(handler);
    await vi.waitFor(() => expect(starts).toEqual([`execute ${local}`]));
    expect(queue.claim(office)?.id).toBe(remote);
    await new Promise(setImmediate);
    expect(statusOf(next)).toBe('queued');
  });

  it('runs one Run of a Capsule at a time, whatever their pools are', async () => {
    const { handler, starts, end } = heldHandler(3);
    const capsuleId = newId('capsule');
    const first = make({ capsuleId, runnerPool: office });
    const [second, third] = [make({ capsuleId, runnerPool: site }), make({ capsuleId })];
    startWith(handler);
    await vi.waitFor(() => expect(starts).toEqual([`execute ${third}`]));
    expect([queue.claim(office), queue.claim(site)]).toEqual([undefined, undefined]);
    end(third);
    expect(queue.claim(office)?.id).toBe(first);
    expect(queue.claim(site)).toBeUndefined();
    end(first);
    expect(queue.claim(site)?.id).toBe(second);
  });

  it('claims a Run that is named only from its own pool, with what is recorded beside it, and once', () => {
    startWith(heldHandler(1).handler);
    const [one, two] = [make({ runnerPool: office }), make({ runnerPool: office })];
    expect(queue.claim(site, { runId: two })).toBeUndefined();
    const record = vi.fn();
    expect(queue.claim(site, { runId: two, record })).toBeUndefined();
    expect(record).not.toHaveBeenCalled();
    expect(queue.claim(office, { runId: two, record })?.id).toBe(two);
    expect(record).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: two, status: 'running' }));
    expect(queue.claim(office, { runId: two, record })).toBeUndefined();
    expect(statusOf(one)).toBe('queued');
  });

  it('claims nothing when what belongs to the claim cannot be recorded', () => {
    const { handler, starts } = heldHandler(1);
    startWith(handler);
    const id = make({ runnerPool: office });
    const record = () => {
      throw new Error('no room');
    };
    expect(() => queue.claim(office, { runId: id, record })).toThrow('no room');
    expect([statusOf(id), starts]).toEqual(['queued', []]);
  });

  it('claims nothing for a pool while its gate is closed', () => {
    setOpen(false);
    startWith(heldHandler(1).handler);
    const id = make({ runnerPool: office });
    expect(queue.claim(office)).toBeUndefined();
    setOpen(true);
    expect(queue.claim(office)?.id).toBe(id);
  });

  it('counts what waits and runs in each', () => {
    startWith(heldHandler(1).handler);
    const oldest = make({ runnerPool: office });
    make({ runnerPool: office });
    make({ type: 'source_sync' });
    runs.move(oldest, 'claim');
    const waiting = runs.getRecord(make({ runnerPool: site }));
    const queues = runs.store.listPoolQueues();
    expect([...queues.keys()].sort()).toEqual([office, site].sort());
    expect(queues.get(office)).toMatchObject({ waiting: 1, running: 1 });
    expect(queues.get(site)).toEqual({ waiting: 1, running: 0, oldestWaitingAt: waiting.createdAt });
  });
});
