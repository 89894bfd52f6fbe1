import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { workerIdleMs } from '#server/kernel/idle-timer';
import { withIdleWorkers } from '../../../test/idle-workers.ts';
import { createThreadLink } from './thread-link.ts';

const started = withIdleWorkers();

it('ends an idle thread, and starts another one for the next task', async () => {
  const link = createThreadLink({ allowLoopback: false, allowLocal: false, copiesDir: '/nowhere' });
  // Refused in the thread, before anything is sent.
  const refusedTask = () =>
    expect(link.run({ kind: 'tags', request: { url: 'https://127.0.0.1/a.git' } }, {})).rejects.toMatchObject({
      code: expect.any(String),
    });
  await refusedTask();
  await refusedTask();
  expect(started).toHaveLength(1);
  const ended = once(started[0] as Worker, 'exit');
  vi.advanceTimersByTime(workerIdleMs);
  await ended;
  await refusedTask();
  expect(started).toHaveLength(2);
  await link.close();
  // A thread that has ended has no number.
  expect(started[1]?.threadId).toBe(-1);
});
