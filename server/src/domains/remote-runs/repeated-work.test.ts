import { expect, test, vi } from 'vitest';
import { createRepeatedWork } from './repeated-work.ts';

test('work is repeated until it succeeds, and requests while it is under way share one more turn', async () => {
  const stop = new AbortController();
  const onFault = vi.fn();
  const first = Promise.withResolvers<void>();
  const work = vi.fn(async () => {});
  work.mockReturnValueOnce(first.promise).mockRejectedValueOnce(new Error('NATS is away'));
  const request = createRepeatedWork({ work, onFault, signal: stop.signal, retryMs: 1 });
  for (let count = 0; count < 3; count += 1) request();
  expect(work).toHaveBeenCalledTimes(1);
  first.resolve();
  await expect.poll(() => work.mock.calls.length).toBe(3);
  expect(onFault).toHaveBeenCalledTimes(1);
  request();
  await expect.poll(() => work.mock.calls.length).toBe(4);
});

test('nothing is repeated after the stop', async () => {
  const stop = new AbortController();
  const onFault = vi.fn();
  const work = vi.fn(async () => {
    stop.abort();
    throw new Error('NATS is away');
  });
  const request = createRepeatedWork({ work, onFault, signal: stop.signal, retryMs: 1 });
  request();
  await expect.poll(() => stop.signal.aborted).toBe(true);
  request();
  expect(work).toHaveBeenCalledTimes(1);
  expect(onFault).not.toHaveBeenCalled();
});
