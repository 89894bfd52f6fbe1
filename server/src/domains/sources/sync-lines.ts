import type { FeedItem } from '#shared/runs/feed';

/** Lines that come close together are kept together: each write of the ledger waits for the disk. */
const gatherMs = 100;

export type SyncLines = {
  say(text: string, at: number): void;
  add(items: readonly FeedItem[]): void;
  /** Hands over what was not kept yet, for the transaction that ends the sync. */
  take(): FeedItem[];
};

/** Gathers what a sync tells while it goes on. What could not be kept waits for the next try. */
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
  function add(items: readonly FeedItem[]): void {
    waiting.push(...items);
    timer ??= setTimeout(flush, gatherMs);
  }
  return {
    say: (text, at) => add([{ kind: 'log', at, payload: { phase: 'source', stream: 'system', level: 'info', text } }]),
    add,
    take,
  };
}
