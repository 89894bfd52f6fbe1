import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns the file in the folder of a Run that requests its cancellation; SIGUSR2 only triggers a check for it. */
export const cancelFile = (runDir: string): string => path.join(runDir, 'cancel');

export type Cancellation = {
  readonly isRequested: boolean;
  /** Calls back once when a cancellation is requested, at once when it was already; returns the unsubscribe function. */
  onRequest(callback: () => void): () => void;
};

/** Listens for a cancellation. The file outlives a supervisor; a signal alone would be lost with it. */
export function listenForCancel(runDir: string): Cancellation {
  let isRequested = existsSync(cancelFile(runDir));
  const callbacks = new Set<() => void>();
  process.on('SIGUSR2', () => {
    if (isRequested || !existsSync(cancelFile(runDir))) return;
    isRequested = true;
    for (const callback of callbacks) callback();
  });
  return {
    get isRequested() {
      return isRequested;
    },
    onRequest(callback) {
      if (isRequested) callback();
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
