import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FeedItem } from '#shared/runs/feed';
import { createSyncLines } from './sync-lines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const textsOf = (items: readonly FeedItem[]) => items.map(({ payload }) => payload['text']);

test('lines are kept together a moment after the first, in their order', () => {
  const batches: unknown[][] = [];
  const lines = createSyncLines((items) => batches.push(textsOf(items)));
  lines.say('one', 1);
  vi.advanceTimersByTime(99);
  lines.say('two', 2);
  expect(batches).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(batches).toEqual([['one', 'two']]);
  lines.say('three', 3);
  vi.advanceTimersByTime(100);
  expect(batches).toEqual([['one', 'two'], ['three']]);
});

test('what is left is handed over once, and nothing is kept after it', () => {
  const batches: unknown[][] = [];
  const lines = createSyncLines((items) => batches.push(textsOf(items)));
  lines.say('one', 1);
  expect(textsOf(lines.take())).toEqual(['one']);
  expect(lines.take()).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(batches).toEqual([]);
});

test('a ledger that takes nothing loses nothing', () => {
  const lines = createSyncLines(() => {
    throw new Error('full');
  });
  lines.say('one', 1);
  vi.advanceTimersByTime(100);
  expect(textsOf(lines.take())).toEqual(['one']);
});
