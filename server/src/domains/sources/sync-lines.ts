import type { FeedItem } from '#shared/runs/feed';

/** Time during which lines are gathered into one write, because each write of the ledger waits for the disk. */
const gatherMs = 100;

export type SyncLines = {
  say(text: string, at: number): void;
  add(items: readonly FeedItem[]): void;
  /** Returns the lines that were not stored yet, for the transaction that ends the sync. */
  take(): FeedItem[];
};

/** Gathers the log lines of a running sync. Lines that could not be stored are retried with the next write. */
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
      // The end of the sync writes to the same ledger and handles its errors.
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
