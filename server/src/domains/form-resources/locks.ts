import type { Target } from './store.ts';

/** Queues of callers: one at a time holds each Resource. */
export function createLocks(waitMs: number) {
  /** Callers that wait for a Resource that is held, first come first served. */
  const held = new Map<string, (() => void)[]>();

  function release(name: string): void {
    const next = held.get(name)?.shift();
    if (next) next();
    else held.delete(name);
  }

  return {
    /** Resolves with the function that releases the Resource, or with undefined when it was not free in time. */
    take({ workspaceId, kind, name: resourceName }: Target): Promise<(() => void) | undefined> {
      const name = JSON.stringify([workspaceId, kind, resourceName]);
      const waiting = held.get(name);
      if (!waiting) {
        held.set(name, []);
        return Promise.resolve(once(() => release(name)));
      }
      return new Promise((resolve) => {
        const enter = () => {
          clearTimeout(timer);
          resolve(once(() => release(name)));
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(enter), 1);
          resolve(undefined);
        }, waitMs);
        waiting.push(enter);
      });
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
