import { createWorkerQueue } from '#server/kernel/worker-queue';
import { parseExactly } from '#shared/kernel/exact-number';
import { limits } from '#shared/limits';
import { invalidResult } from './invalid-result.ts';
import type { WorkerAnswer } from './scan-worker.ts';
import type { ScanRequest, ScanResult } from './types.ts';

export type Scan = {
  /** Never rejects: an error is a discovery with the reason `scan_failed`, and a sentence in `failure`. */
  scan: (request: ScanRequest) => Promise<ScanResult>;
  /** Starts the worker ahead of a scan that is about to come. */
  warmUp: () => void;
  /** Ends the worker; running and waiting requests return a failure. */
  close: () => Promise<void>;
};

const heapMegabytes = 1_024;

/**
 * Runs the module scan in one worker thread; requests run in sequence. The thread, and its cache of parsed files, ends
 * when it is idle.
 */
export function createScan({ timeoutMs = limits.scanSeconds * 1_000 }: { timeoutMs?: number } = {}): Scan {
  const queue = createWorkerQueue<ScanRequest, WorkerAnswer>({
    entry: 'scan-worker',
    what: 'The scan',
    heapMegabytes,
    timeoutMs,
  });
  return {
    async scan(request) {
      const answer = await queue.send(request);
      if ('scanned' in answer) return parseExactly(answer.scanned) as ScanResult;
      return { ...invalidResult({ request, reason: 'scan_failed' }), ...answer };
    },
    warmUp: queue.warmUp,
    close: queue.close,
  };
}
