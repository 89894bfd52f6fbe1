import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { withIdleWorkers } from '../../test/idle-workers.ts';
import { workerIdleMs } from './idle-timer.ts';
import { createWorkerQueue } from './worker-queue.ts';

const started = withIdleWorkers();

const request = { kind: 'check', schema: '{}' };
const create = () =>
  createWorkerQueue<typeof request, { problems: unknown[] }>({
    entry: 'json-schema-worker',
    what: 'The check',
    heapMegabytes: 64,
    timeoutMs: 10 * workerIdleMs,
  });

it('ends an idle worker, and starts another one for the next request', async () => {
  const queue = create();
  expect(await queue.send(request)).toEqual({ problems: [] });
  vi.advanceTimersByTime(workerIdleMs - 1);
  expect(await queue.send(request)).toEqual({ problems: [] });
  expect(started).toHaveLength(1);
  const ended = once(started[0] as Worker, 'exit');
  vi.advanceTimersByTime(workerIdleMs);
  await ended;
  expect(await queue.send(request)).toEqual({ problems: [] });
  expect(started).toHaveLength(2);
  await queue.close();
  // A worker that has ended has no number.
  expect(started[1]?.threadId).toBe(-1);
});

it('does not end a worker that works', async () => {
  const queue = create();
  await queue.send(request);
  const answer = queue.send(request);
  await Promise.resolve();
  vi.advanceTimersByTime(workerIdleMs);
  expect(await answer).toEqual({ problems: [] });
  expect(started).toHaveLength(1);
  await queue.close();
});

it('starts one worker ahead, which ends when no request comes', async () => {
  const queue = create();
  queue.warmUp();
  queue.warmUp();
  expect(await queue.send(request)).toEqual({ problems: [] });
  expect(started).toHaveLength(1);
  const ended = once(started[0] as Worker, 'exit');
  vi.advanceTimersByTime(workerIdleMs);
  await ended;
  queue.warmUp();
  await new Promise(setImmediate);
  const unused = once(started[1] as Worker, 'exit');
  vi.advanceTimersByTime(workerIdleMs);
  await unused;
  await queue.close();
  queue.warmUp();
  await new Promise(setImmediate);
  expect(started).toHaveLength(2);
});
