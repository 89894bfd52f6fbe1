import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#server/kernel/log';
import { createFenceState } from './fence-state.ts';

const record = {
  format: 'groundctl-fence' as const,
  version: 1 as const,
  installationId: 'installation-1',
  serverId: 'server-1',
  term: 1,
  takenAt: 1,
  nonce: 'a'.repeat(16),
};
const held = { status: 'held' as const, record };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A state whose answers count for ten seconds, with what its listeners saw. */
function open() {
  const state = createFenceState({
    clock: { now: () => 1 },
    log: createLog('silent'),
    names: { location: 'nats://GC_TERM/groundctl-fence.json', serverId: 'server-1' },
    initial: undefined,
    countsForMs: 10_000,
  });
  const seen: boolean[] = [];
  state.onChange(() => seen.push(state.isConfirmed()));
  return { state, seen };
}

test('an answer counts for its time only, also while nothing runs', () => {
  const { state } = open();
  expect(state.isConfirmed()).toBe(false);
  state.settle(held);
  vi.advanceTimersByTime(10_000);
  expect(state.isConfirmed()).toBe(true);
  vi.advanceTimersByTime(1);
  expect([state.status(), state.isConfirmed()]).toEqual(['held', false]);
});

test('a clock that was set back does not prolong an answer', () => {
  const { state } = open();
  state.settle(held);
  vi.advanceTimersByTime(10_001);
  vi.setSystemTime(0);
  expect(state.isConfirmed()).toBe(false);
});

test('its listeners see the end and the return of the confirmation', () => {
  const { state, seen } = open();
  state.settle(held);
  vi.advanceTimersByTime(20_000);
  seen.length = 0;
  state.settle(held);
  expect(seen).toEqual([false, true]);
  state.settle(held);
  expect(seen).toHaveLength(2);
});
