import { watch } from 'node:fs';
import { stampOf } from '../../os/durable-file.ts';

const pollMs = 250;

/** A module can close the folder that a file is in. */
function stampIfSeen(file: string): string {
  try {
    return stampOf(file);
  } catch {
    return '';
  }
}

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
  // Compared with what is there before this returns; `watchFile` looks for the first time some while after.
  const poll = (): void => {
    let seen = stampIfSeen(file);
    const timer = setInterval(() => {
      const stamp = stampIfSeen(file);
      if (stamp === seen) return;
      seen = stamp;
      onChange();
    }, pollMs);
    stopPolling = () => clearInterval(timer);
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
