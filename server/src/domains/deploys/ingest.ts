import type { JournalRecord, Outcome } from '#server/runner/index';
import type { FeedItem } from '#shared/runs/feed';

/** Turns journal records into items of the Run's feed; what steers the ledger comes back beside them. */
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

/** A failed Run has at least one diagnostic that says why. */
export const failureItem = (at: number, code: string, message: string): FeedItem => ({
  kind: 'diagnostic',
  at,
  payload: { severity: 'error', code, message },
});

/** Something a reader of the Run may want to know and need not act on. */
export const noteItem = (at: number, code: string, message: string): FeedItem => ({
  kind: 'diagnostic',
  at,
  payload: { severity: 'info', code, message },
});

/** Something a person should look at before going on. */
export const warningItem = (at: number, code: string, message: string): FeedItem => ({
  kind: 'diagnostic',
  at,
  payload: { severity: 'warning', code, message },
});
