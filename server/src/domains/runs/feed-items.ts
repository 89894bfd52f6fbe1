import { newId } from '#server/kernel/ids';
import { isPlanType } from '#shared/runs/contract';
import type { FeedItem, Phase } from '#shared/runs/feed';
import type { RunRecord } from './run-record.ts';

/** Creates a feed item that records an actor's action on the Run. */
export const auditItem = (
  type: string,
  at: number,
  more: { actor?: string; message?: string; data?: Record<string, unknown> } = {},
): FeedItem => ({
  kind: 'audit',
  at,
  payload: { id: newId('runEvent'), type, ...more },
});

export const phaseItem = (phase: Phase, state: 'started' | 'finished' | 'reused', at: number): FeedItem => ({
  kind: 'phase',
  at,
  payload: { phase, state },
});

/** Returns the status item of the stream. */
export function statusItem(row: RunRecord, at: number): FeedItem {
  const { summary, policyStatus, requiresApproval } = row.facts;
  const payload = {
    runId: row.id,
    status: row.status,
    ...(summary && isPlanType(row.type) && { summary }),
    ...(policyStatus && { policyStatus }),
    ...(requiresApproval !== undefined && { requiresApproval }),
    ...(row.errorCode !== null && { errorCode: row.errorCode }),
  };
  return { kind: 'status', at, payload };
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
