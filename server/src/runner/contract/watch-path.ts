import { watch } from 'node:fs';
import { stampOf } from '../../os/durable-file.ts';

const pollMs = 250;

/** Returns the stamp of a file, or an empty text when it is not accessible: a module can lock its folder. */
function stampIfSeen(file: string): string {
  try {
    return stampOf(file);
  } catch {
    return '';
  }
}

type WatchRequest = {
  /** An existing file, or a folder. */
  target: string;
  /** The file to watch, when `target` is its folder. */
  file?: string;
  onChange: () => void;
};

/**
 * Calls back after changes of a file, or of anything in a folder; returns the unsubscribe function. Uses file system
 * events; when the system has no watches left, it polls four times a second instead.
 */
export function watchPath({ target, file = target, onChange }: WatchRequest): () => void {
  let stopPolling: (() => void) | undefined;
  // Compared with the state before this returns, because the first poll of `watchFile` comes later.
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
