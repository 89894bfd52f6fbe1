import type { ClientHttp2Session } from 'node:http2';
import { beforeEach, expect, test } from 'vitest';
import { createPool, type ProviderPool } from './provider-pool.ts';

/** A process that this test starts and ends. */
type TestProcess = { session: ClientHttp2Session; connect(): void; fail(): void; isEnded: boolean };

let processes: TestProcess[];
let pool: ProviderPool;
beforeEach(() => {
  processes = [];
  pool = createPool(() => {
    const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
    const session = { number: processes.length } as unknown as ClientHttp2Session;
    const one: TestProcess = {
      session,
      connect: () => resolve(session),
      fail: () => reject(new Error('It did not start.')),
      isEnded: false,
    };
    processes.push(one);
    return {
      session: promise,
      async end() {
        one.isEnded = true;
      },
    };
  });
});

function connectAll(): void {
  for (const one of processes) one.connect();
}

const numberOf = ({ session }: { session: ClientHttp2Session }): unknown =>
  (session as unknown as { number: number }).number;

test('starts the first process at once, and shares it', async () => {
  expect(processes).toHaveLength(1);
  connectAll();
  expect(await Promise.all([pool.share(), pool.share()].map(async (lease) => numberOf(await lease)))).toEqual([0, 0]);
});

test('gives a process without a call to the first configuration, and new ones to the others', async () => {
  connectAll();
  (await pool.share()).release();
  const claims = [pool.claim(), pool.claim()];
  connectAll();
  expect((await Promise.all(claims)).map(numberOf)).toEqual([0, 1]);
  const shared = pool.share();
  connectAll();
  expect(numberOf(await shared)).toBe(2);
});

test('gives no process to a configuration while another caller uses it, or waits for its start', async () => {
  const waiting = pool.share();
  const claimed = pool.claim();
  connectAll();
  expect([numberOf(await waiting), numberOf(await claimed)]).toEqual([0, 1]);
  const next = pool.claim();
  connectAll();
  expect(numberOf(await next)).toBe(2);
  (await waiting).release();
  expect(numberOf(await pool.claim())).toBe(0);
});

test('ends a process with its configuration, and a shared one only at the end', async () => {
  connectAll();
  const shared = await pool.share();
  const claiming = pool.claim();
  connectAll();
  (await claiming).release();
  shared.release();
  expect(processes.map(({ isEnded }) => isEnded)).toEqual([false, true]);
  await pool.end();
  expect(processes.map(({ isEnded }) => isEnded)).toEqual([true, true]);
});

test('rejects when a process does not start, and after the end', async () => {
  const sharing = pool.share();
  processes[0]?.fail();
  await expect(sharing).rejects.toThrow('did not start');
  await pool.end();
  await expect(pool.claim()).rejects.toThrow('has ended');
  expect(processes).toHaveLength(1);
});
