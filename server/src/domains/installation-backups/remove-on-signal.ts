import { removeTree } from '#server/kernel/remove-tree';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work that fills a folder. A signal that ends the process removes the folder first. */
export async function removingOnSignal<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const handlers = endingSignals.map((signal) => ({ signal, handle: () => endBy(signal, folder) }));
  for (const { signal, handle } of handlers) process.once(signal, handle);
  try {
    return await work();
  } finally {
    for (const { signal, handle } of handlers) process.off(signal, handle);
  }
}

function endBy(signal: NodeJS.Signals, folder: string): void {
  removeTree(folder);
  // The handler is removed before it is called, so the signal has its usual effect now.
  process.kill(process.pid, signal);
}
