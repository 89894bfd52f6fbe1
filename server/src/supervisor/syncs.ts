/** Pending syncs that run concurrently with the work of a Run. */
export type Syncs = {
  /** Adds a sync; `done` reports its failure. */
  add(sync: Promise<void>): void;
  /** Resolves when all of them survive a power cut. Rejects with the error of the disk. */
  done(): Promise<void>;
};

/**
 * Collects syncs. An fsync takes as long as the start of a small command, so it is awaited only before a step that
 * depends on it: an apply that may change resources, or an outcome that the ledger reads.
 */
export function createSyncs(): Syncs {
  const pending: Promise<void>[] = [];
  return {
    add(sync) {
      sync.catch(() => {});
      pending.push(sync);
    },
    done: async () => void (await Promise.all(pending)),
  };
}
