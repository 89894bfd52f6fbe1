import { getHeapStatistics } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { idleMs, trimMemory, trimMemoryWhenIdle } from './memory-trim.ts';

it('returns the pages of collected objects, and exposes no collector to other code', () => {
  let objects: unknown[] = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  const before = getHeapStatistics().total_physical_size;
  expect(objects).toHaveLength(500_000);
  objects = [];
  trimMemory();
  expect(before - getHeapStatistics().total_physical_size).toBeGreaterThan(8 << 20);
  expect(globalThis.gc).toBeUndefined();
});

describe('a process that becomes idle', () => {
  const mebibyte = 1 << 20;
  const trimmedMiB = 40;
  let heapMiB: number;
  let collect: () => void;
  const trim = vi.fn(() => {
    heapMiB = trimmedMiB;
    // The trim is a collection itself.
    collect();
  });

  beforeEach(() => {
    vi.useFakeTimers();
    trim.mockClear();
    heapMiB = 100;
    trimMemoryWhenIdle({
      heapBytes: () => heapMiB * mebibyte,
      trim,
      onCollection: (callback) => {
        collect = callback;
      },
    });
  });
  afterEach(() => void vi.useRealTimers());

  function work(newHeapMiB: number): void {
    heapMiB = newHeapMiB;
    collect();
  }

  it('is trimmed when no collection has come for the whole time', () => {
    vi.advanceTimersByTime(idleMs - 1);
    collect();
    vi.advanceTimersByTime(idleMs - 1);
    expect(trim).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(trim).toHaveBeenCalledOnce();
  });

  it('is not trimmed again by the collection of its own trim', () => {
    vi.advanceTimersByTime(10 * idleMs);
    expect(trim).toHaveBeenCalledOnce();
  });

  it('is trimmed again only after its heap has grown by 8 MiB', () => {
    vi.advanceTimersByTime(idleMs);
    work(trimmedMiB + 7);
    vi.advanceTimersByTime(2 * idleMs);
    expect(trim).toHaveBeenCalledOnce();
    work(trimmedMiB + 8);
    vi.advanceTimersByTime(idleMs);
    expect(trim).toHaveBeenCalledTimes(2);
  });
});
