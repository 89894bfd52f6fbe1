import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import type { Exit } from '../os/spawn.ts';
import type { Standby } from './contract/standby.ts';
import { createStandbyPool } from './standby-pool.ts';

type SimulatedStandby = Standby & { end(): void };

let started: SimulatedStandby[];
let messages: string[];
let failure: Error | undefined;
beforeEach(() => {
  started = [];
  messages = [];
  failure = undefined;
});

function createStandby(): SimulatedStandby {
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  const end = () => resolve({ code: 0, signal: null });
  return { identity: undefined, exited, end, give() {}, dismiss: end, lastLine: () => '' };
}

const createPool = () =>
  createStandbyPool({
    async start() {
      if (failure) throw failure;
      const standby = createStandby();
      started.push(standby);
      return standby;
    },
    log: (message) => messages.push(message),
  });

test('one supervisor waits at a time, and a Run takes it', async () => {
  const pool = createPool();
  pool.warm();
  pool.warm();
  expect(await pool.take()).toBe(started[0]);
  expect(started).toHaveLength(1);
  expect(await pool.take()).toBe(started[1]);
});

test('the next supervisor starts when the Run has ended', async () => {
  const pool = createPool();
  const standby = (await pool.take()) as SimulatedStandby;
  pool.warmLater(standby.exited);
  standby.end();
  await turn();
  expect(started).toHaveLength(2);
  expect(await pool.take()).toBe(started[1]);
});

test('a supervisor that died while it waited is replaced', async () => {
  const pool = createPool();
  pool.warm();
  await turn();
  started[0]?.end();
  await turn();
  expect(await pool.take()).toBe(started[1]);
});

test('a supervisor that cannot be started is logged, and the next Run tries again', async () => {
  const pool = createPool();
  failure = new Error('no memory');
  pool.warm();
  await turn();
  expect(messages).toEqual(['A waiting supervisor could not be started: no memory']);
  await expect(pool.take()).rejects.toBe(failure);
  failure = undefined;
  expect(await pool.take()).toBe(started[0]);
});

test('a closed pool ends the waiting supervisor and starts no other', async () => {
  const pool = createPool();
  pool.warm();
  await pool.close();
  expect(await started[0]?.exited).toEqual({ code: 0, signal: null });
  pool.warm();
  expect(started).toHaveLength(1);
});
