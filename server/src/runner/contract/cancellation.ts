import { existsSync } from 'node:fs';
import path from 'node:path';

/** The file in the folder of a Run that asks for its end; SIGUSR2 only says that it is worth a look. */
export const cancelFile = (runDir: string): string => path.join(runDir, 'cancel');

export type Cancellation = {
  readonly isRequested: boolean;
  /** Calls back once when the end is asked for, at once when it was before; returns how to stop listening. */
  onRequest(callback: () => void): () => void;
};

/** A file says what is wanted and outlives a supervisor; a signal alone would be lost with it. */
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
