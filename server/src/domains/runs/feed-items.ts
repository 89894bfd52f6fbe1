import type { FeedItem } from '#shared/runs/feed';

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
