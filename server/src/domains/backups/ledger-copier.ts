import type { CopyAnswer, CopyRequest } from '#server/kernel/ledger-copy-worker';
import { createWorkerQueue } from '#server/kernel/worker-queue';

const heapMegabytes = 512;
const timeoutMs = 3_600_000;

/** Copies the ledger in a worker, because a copy of a large ledger takes seconds. */
export function createLedgerCopier(dataDir: string) {
  const options = { entry: 'ledger-copy-worker', what: 'The copy of the ledger', heapMegabytes, timeoutMs } as const;
  const queue = createWorkerQueue<CopyRequest, CopyAnswer>(options);
  return {
    /** Throws an error of the disk for a full or failing one. */
    async copy(target: string): Promise<void> {
      const answer = await queue.send({ dataDir, target });
      if (!('failure' in answer)) return;
      const isFull = 'isDiskFault' in answer && answer.isDiskFault;
      throw Object.assign(new Error(answer.failure), isFull && { code: 'ENOSPC' });
    },
    close: queue.close,
  };
}
