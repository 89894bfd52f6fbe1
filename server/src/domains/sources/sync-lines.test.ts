import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FeedItem } from '#shared/runs/feed';
import { createSyncLines } from './sync-lines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const textsOf = (items: readonly FeedItem[]) => items.map(({ payload }) => payload['text']);

test('stores lines together shortly after the first, in order', () => {
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

test('returns the remaining lines once, and stores nothing after that', () => {
  const batches: unknown[][] = [];
  const lines = createSyncLines((items) => batches.push(textsOf(items)));
  lines.say('one', 1);
  expect(textsOf(lines.take())).toEqual(['one']);
  expect(lines.take()).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(batches).toEqual([]);
});

test('loses no line when the ledger rejects a write', () => {
  const lines = createSyncLines(() => {
    throw new Error('full');
  });
  lines.say('one', 1);
  vi.advanceTimersByTime(100);
  expect(textsOf(lines.take())).toEqual(['one']);
});
