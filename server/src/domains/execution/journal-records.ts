import type { JournalRecord, Outcome } from '#server/runner/index';
import type { FeedItem } from '#shared/runs/feed';

/** Converts journal records into items of the Run's feed; records that change the ledger are returned beside them. */
export function readRecords(records: readonly JournalRecord[]): {
  items: FeedItem[];
  dispatched: boolean;
  outcome?: Outcome;
} {
  const items: FeedItem[] = [];
  let outcome: Outcome | undefined;
  let dispatched = false;
  for (const record of records) {
    if (record.t === 'spawned') dispatched ||= record.command === 'apply';
    else if (record.t === 'outcome') outcome = record.outcome;
    else if (record.t === 'log' || record.t === 'diagnostic' || record.t === 'resource' || record.t === 'phase') {
      const { t, at, ...payload } = record;
      items.push({ kind: t, at, payload });
    }
  }
  return { items, dispatched, ...(outcome && { outcome }) };
}
