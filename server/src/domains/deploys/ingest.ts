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

/** A failed Run has at least one diagnostic with the reason. */
export const failureItem = (at: number, code: string, message: string): FeedItem => ({
  kind: 'diagnostic',
  at,
  payload: { severity: 'error', code, message },
});

/** Information for a reader of the Run that needs no action. */
export const noteItem = (at: number, code: string, message: string): FeedItem => ({
  kind: 'diagnostic',
  at,
  payload: { severity: 'info', code, message },
});

/** A warning that a person should read before continuing. */
export const warningItem = (at: number, code: string, message: string): FeedItem => ({
  kind: 'diagnostic',
  at,
  payload: { severity: 'warning', code, message },
});
