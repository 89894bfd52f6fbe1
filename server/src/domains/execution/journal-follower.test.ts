import { expect, test, vi } from 'vitest';
import { createLog } from '../../kernel/log.ts';
import { createJournalFollower } from './journal-follower.ts';

test('an apply that got its permit while its lost supervisor was looked for is taken over, and never queued again', async () => {
  const run = { id: 'apply_1', type: 'apply', status: 'running', journalOffset: 0, input: {} as { dispatched?: true } };
  const stop = new AbortController();
  const ends = { retry: vi.fn(), fail: vi.fn() };
  const start = vi.fn(async () => stop.abort(new Error('the test is over')));
  const follow = createJournalFollower({
    log: createLog('silent'),
    clock: { now: () => 0 },
    db: {},
    activity: {},
    ends,
    runs: { getRecord: () => run, getCapsuleRun: () => structuredClone(run), append: vi.fn() },
    buildJob: async () => ({}),
    driver: {
      start,
      follow: async () => {
        stop.signal.throwIfAborted();
        return 'lost';
      },
      truncateTornTail: async () => 0,
      withdraw: async () => {},
      isAlive: async () => false,
      async endLeftovers() {
        run.input.dispatched = true;
        return true;
      },
    },
  } as never);
  await expect(follow('apply_1', stop.signal)).rejects.toThrow('the test is over');
  expect(ends.retry).not.toHaveBeenCalled();
  expect(start).toHaveBeenCalledTimes(1);
});
