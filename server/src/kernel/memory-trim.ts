import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without a garbage collection after which a process counts as idle. */
export const idleMs = 20_000;

/** Growth of the heap since the last trim below which another one would not pay. */
const worthwhileBytes = 8 << 20;

/** Collects all garbage and returns the free pages of the heap to the system. Stops the thread for some 100 ms. */
export function trimMemory(): void {
  collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Returns V8's own function, which a program without the flag can get only from a new context. */
function collector(): NodeJS.GCFunction {
  if (globalThis.gc) return globalThis.gc;
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as NodeJS.GCFunction;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

/** Access of a trimmer to its process, which a test replaces. */
type TrimDeps = {
  /** Bytes of memory that the heap occupies. */
  heapBytes: () => number;
  trim: () => void;
  onCollection: (callback: () => void) => void;
};

const ownProcess: TrimDeps = {
  heapBytes: () => getHeapStatistics().total_physical_size,
  trim: trimMemory,
  onCollection: (callback) => new PerformanceObserver(callback).observe({ entryTypes: ['gc'] }),
};

/**
 * Trims the memory of this process each time that it becomes idle after work. V8 keeps the pages of its young
 * generation, up to 64 MiB, until the next work. Only a garbage collection sets the timer.
 */
export function trimMemoryWhenIdle({ heapBytes, trim, onCollection }: TrimDeps = ownProcess): void {
  let trimmedBytes = 0;
  const timer = setTimeout(() => {
    if (heapBytes() - trimmedBytes < worthwhileBytes) return;
    trim();
    trimmedBytes = heapBytes();
  }, idleMs).unref();
  onCollection(() => timer.refresh());
}
