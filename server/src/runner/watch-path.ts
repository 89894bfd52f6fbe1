import { unwatchFile, watch, watchFile } from 'node:fs';

const pollMs = 250;

export type WatchRequest = {
  /** A file that exists, or a folder. */
  target: string;
  /** The file whose changes matter, when `target` is its folder. */
  file?: string;
  onChange: () => void;
};

/**
 * Calls back after changes of a file, or of anything in a folder; returns how to stop. The file system tells about them.
 * Where it has no watches left, the file is looked at four times a second instead, so that nothing waits for ever.
 */
export function watchPath({ target, file = target, onChange }: WatchRequest): () => void {
  let stopPolling: (() => void) | undefined;
  const poll = (): void => {
    watchFile(file, { interval: pollMs }, onChange);
    stopPolling = () => unwatchFile(file, onChange);
  };
  try {
    const watcher = watch(target, onChange);
    watcher.on('error', () => stopPolling ?? poll());
    return () => {
      watcher.close();
      stopPolling?.();
    };
  } catch {
    poll();
    return () => stopPolling?.();
  }
}
