import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLocks } from './locks.ts';

const at = (name: string) => ({ workspaceId: 'ws_1', kind: 'Database', name });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('lets one caller at a time hold a Resource, in the order of arrival', async () => {
  const locks = createLocks(1_000);
  const order: string[] = [];
  const hold = async (caller: string) => {
    const release = await locks.take(at('a'));
    order.push(caller);
    return release;
  };
  const first = await hold('first');
  const others = [hold('second'), hold('third')];
  expect(await locks.take(at('b'))).toBeDefined();
  expect(order).toEqual(['first']);
  first?.();
  (await others[0])?.();
  await others[1];
  expect(order).toEqual(['first', 'second', 'third']);
});

it('gives up after the time, and lets the next caller in', async () => {
  const locks = createLocks(1_000);
  const release = await locks.take(at('a'));
  const late = locks.take(at('a'));
  await vi.advanceTimersByTimeAsync(600);
  const patient = locks.take(at('a'));
  await vi.advanceTimersByTimeAsync(400);
  expect(await late).toBeUndefined();
  release?.();
  expect(await patient).toBeDefined();
});

it('releases once, also when it is called again', async () => {
  const locks = createLocks(1_000);
  const release = await locks.take(at('a'));
  const second = locks.take(at('a'));
  const third = locks.take(at('a'));
  release?.();
  release?.();
  await second;
  let isIn = false;
  void third.then(() => {
    isIn = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isIn).toBe(false);
});
