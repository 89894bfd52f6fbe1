import type { FeedItem } from '#shared/runs/feed';

/** Lines that come close together are kept together: each write of the ledger waits for the disk. */
const gatherMs = 100;

export type SyncLines = {
  say(text: string, at: number): void;
  /** Hands over what was not kept yet, for the transaction that ends the sync. */
  take(): FeedItem[];
};

/** Gathers the log lines of a sync. What could not be kept waits for the next try. */
export function createSyncLines(keep: (items: readonly FeedItem[]) => void): SyncLines {
  let waiting: FeedItem[] = [];
  let timer: NodeJS.Timeout | undefined;

  function take(): FeedItem[] {
    clearTimeout(timer);
    timer = undefined;
    const items = waiting;
    waiting = [];
    return items;
  }
  function flush(): void {
    const items = take();
    try {
      keep(items);
    } catch {
      // The end of the sync meets the same ledger, and knows what to do about it.
      waiting = items;
    }
  }
  return {
    say(text, at) {
      waiting.push({ kind: 'log', at, payload: { phase: 'source', stream: 'system', level: 'info', text } });
      timer ??= setTimeout(flush, gatherMs);
    },
    take,
  };
}
