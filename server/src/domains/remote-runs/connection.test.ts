import { expect, test, vi } from 'vitest';

const connection = { close: vi.fn(async () => {}) };
vi.mock('#server/drivers/nats/index', async (load) => ({
  ...(await load<typeof import('#server/drivers/nats/index')>()),
  loadNats: async () => ({ openConnection: async () => connection }),
}));

import { createLog } from '../../kernel/log.ts';
import { keepConnection } from './connection.ts';

test('NATS is prepared again after a failure, until it is ready', async () => {
  const stop = new AbortController();
  const onConnected = vi.fn<(current: unknown) => Promise<void>>(async () => {});
  onConnected.mockRejectedValueOnce(new Error('no leader yet')).mockRejectedValueOnce(new Error('no leader yet'));
  const set = vi.fn();
  const keeping = keepConnection({
    log: createLog('silent'),
    urls: ['nats://127.0.0.1:1'],
    ca: undefined,
    authority: async () => ({ createServerUser: () => ({ jwt: '', seed: '' }) }) as never,
    onConnected,
    signal: stop.signal,
    retryMs: 1,
    set,
  });
  await expect.poll(() => onConnected.mock.calls.length).toBe(3);
  stop.abort();
  await keeping;
  expect(onConnected).toHaveBeenCalledTimes(3);
  expect(set.mock.calls).toEqual([[connection], [undefined]]);
  expect(connection.close).toHaveBeenCalledTimes(1);
});
