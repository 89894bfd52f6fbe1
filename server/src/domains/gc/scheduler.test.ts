import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { leastFreeBytes } from '#server/kernel/disk';
import type { OutboxEvent } from '#server/kernel/outbox';
import { openGate } from '#server/kernel/work-gate';
import { createGcScheduler, type GcScheduler } from './scheduler.ts';
import type { Swept } from './sweep.ts';

const minute = 60_000;
const hour = 60 * minute;
const ended = { seq: 1, workspaceId: 'ws_a', kind: 'run', recordId: 'plan_1', status: 'succeeded' };

let sweeps: { at: number; isDiskLow: boolean }[];
let logged: object[];
let isRunning: boolean;
let free: number;
let notify: (event: OutboxEvent) => void;
let finish: () => void;
let gcScheduler: GcScheduler;
let signal: AbortSignal | undefined;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  sweeps = [];
  logged = [];
  isRunning = false;
  free = 1e12;
  signal = undefined;
  let pending: ((swept: Swept) => void) | undefined;
  finish = () => pending?.({ removed: { runFolders: 2 }, freedBytes: 7 });
  gcScheduler = createGcScheduler({
    workGate: openGate,
    sweep: (options) => {
      sweeps.push({ at: Date.now(), isDiskLow: options.isDiskLow });
      signal = options.signal;
      return new Promise((resolve) => {
        pending = resolve;
      });
    },
    store: { isAnyRunning: () => isRunning },
    outbox: {
      listen: (listener) => {
        notify = listener;
        return () => {
          notify = () => {};
        };
      },
    },
    freeBytes: () => free,
    clock: { now: () => Date.now() },
    log: { info: (fields) => logged.push(fields), warn: () => {}, error: () => {} },
  });
});
afterEach(async () => {
  finish();
  await gcScheduler.stop();
  vi.useRealTimers();
});

const times = () => sweeps.map(({ at }) => at);
/** Completes the sweep in progress, if there is one, while the simulated time passes. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  finish();
  await vi.advanceTimersByTimeAsync(0);
}

test('a server sweeps a minute after its start, and then only after Runs have ended, once an hour', async () => {
  gcScheduler.start();
  await pass(minute - 1);
  expect(times()).toEqual([]);
  await pass(1);
  await pass(24 * hour);
  expect([times(), vi.getTimerCount()]).toEqual([[minute], 0]);
  notify(ended);
  await pass(minute);
  notify(ended);
  await pass(10 * minute);
  notify(ended);
  await pass(hour);
  expect(times()).toEqual([minute, minute + 24 * hour + minute, minute + 24 * hour + minute + hour]);
});

test('events of a Run that continues, or of another record, request no sweep', async () => {
  for (const change of [
    { status: 'running' },
    { status: 'waiting_approval' },
    { kind: 'capsule' },
    { status: undefined },
  ])
    notify({ ...ended, ...change } as OutboxEvent);
  await pass(2 * hour);
  expect([times(), vi.getTimerCount()]).toEqual([[], 0]);
});

test('while a Run is in progress the sweep waits for its end, but not forever', async () => {
  gcScheduler.start();
  isRunning = true;
  await pass(2 * hour);
  expect(times()).toEqual([]);
  notify(ended);
  await pass(minute);
  expect(times()).toEqual([]);
  isRunning = false;
  notify(ended);
  await pass(minute);
  expect(times().length).toBe(1);
  isRunning = true;
  for (let passed = 0; passed < 6 * hour; passed += 10 * minute) {
    notify(ended);
    await pass(10 * minute);
  }
  expect(times().length).toBe(2);
});

test('Runs that end in quick succession do not delay it', async () => {
  for (let second = 0; second < 120; second += 1) {
    notify(ended);
    await pass(1_000);
  }
  expect(times()).toEqual([minute]);
});

test('when the disk is nearly full the sweep runs sooner, even while a Run is in progress', async () => {
  gcScheduler.start();
  await pass(minute);
  free = 2 * leastFreeBytes - 1;
  isRunning = true;
  notify(ended);
  await pass(5 * minute);
  expect(sweeps).toEqual([
    { at: minute, isDiskLow: false },
    { at: 6 * minute, isDiskLow: true },
  ]);
  expect(logged).toEqual([
    { removed: { runFolders: 2 }, freedBytes: 7, ms: expect.any(Number) },
    { removed: { runFolders: 2 }, freedBytes: 7, ms: expect.any(Number), isDiskLow: true },
  ]);
});

test('a stop ends the sweep in progress and waits for it; afterwards no sweep is requested', async () => {
  gcScheduler.start();
  await vi.advanceTimersByTimeAsync(minute);
  let isStopped = false;
  const stopped = gcScheduler.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect([signal?.aborted, isStopped]).toEqual([true, false]);
  finish();
  await stopped;
  notify(ended);
  gcScheduler.start();
  expect(vi.getTimerCount()).toBe(0);
});
