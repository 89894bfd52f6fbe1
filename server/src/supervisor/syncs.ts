/** What is made to survive a power cut beside the work of a Run. */
export type Syncs = {
  /** Takes one on; its failure is told by `done`. */
  add(sync: Promise<void>): void;
  /** Resolves when no power cut can take any of them. Rejects with the error of the disk. */
  done(): Promise<void>;
};

/**
 * An fsync takes as long as a small command starts, so nobody waits for one until something follows from it: an apply
 * that may change the world, or an outcome that the ledger takes.
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
