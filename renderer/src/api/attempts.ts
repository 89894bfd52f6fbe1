import { useSyncExternalStore } from 'react';
import { OfflineError } from './client.ts';

/** `newest` plans the newest commit of the followed ref; `same` plans the commit that the Capsule has. */
export type Choice = 'newest' | 'same';
export const attemptSteps = ['sync', 'check', 'plan'] as const;
export type AttemptStep = (typeof attemptSteps)[number];

export type Target = {
  capsuleId: string;
  sourceId: string;
  /** Ref of the revision plan. Before the first apply there is none, because a revision plan needs a state. */
  ref?: string | undefined;
  modulePath?: string | undefined;
  /** The snapshot of the Capsule. Without one, only the newest commit can be planned. */
  snapshotId?: string | undefined;
  /** Id of the report that was confirmed before. A check that finds more asks for confirmation before anything runs. */
  reportId?: string | undefined;
};

export type Failure =
  /** A refusal of the server, or a lost connection. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'sync'; message?: string | undefined }
  /** The report of the attempt blocks the plan. */
  | { kind: 'findings' };

/** An attempt to plan a Capsule again, as the page shows it. */
export type Attempt = {
  target: Target;
  choice: Choice;
  step: AttemptStep;
  /** Start of the step, in milliseconds. */
  since: number;
  /** Idempotency keys of the requests: a reload repeats a request, and the server runs it once. */
  requestKeys: Record<AttemptStep, Record<'idempotency-key', string>>;
  /** The revision plan of the attempt, until it has ended. */
  revisionPlanId?: string;
  /** True when another tab started it: this one shows it, and stays on its page. */
  isFromElsewhere?: boolean;
  syncRunId?: string;
  snapshotId?: string;
  reportId?: string;
  /** True while the attempt waits for the user to confirm what the plan runs. */
  asks?: boolean;
  isConfirmed?: boolean;
  /** Variables of the commit that need a value first. The attempt then asks for them. */
  missing?: readonly string[];
  failure?: Failure;
};

const attempts = new Map<string, Attempt>();
const listeners = new Set<() => void>();
const storageKey = (capsuleId: string) => `plan-again:${capsuleId}`;

export const findAttempt = (capsuleId: string): Attempt | undefined => attempts.get(capsuleId);

const openedKey = (capsuleId: string) => `plan-again-opened:${capsuleId}`;
/** Path of this document when it was loaded by a reload. */
const reloadedPath = performance
  .getEntriesByType('navigation')
  .some((entry) => 'type' in entry && entry.type === 'reload')
  ? location.pathname
  : undefined;

/** True once a reload or another address was requested. Until the new document is there, this one goes on. */
let isLeaving = false;
addEventListener('beforeunload', () => {
  isLeaving = true;
});

/**
 * Remembers the plan Run of an attempt while its page opens, because a reload that was requested before replaces that
 * page by the one of the attempt.
 */
export function saveOpenedRun(capsuleId: string, planRunId: string): void {
  sessionStorage.setItem(openedKey(capsuleId), JSON.stringify({ planRunId, from: location.pathname }));
}

/** Returns the plan Run whose page a reload has replaced, once. A document that is being left leaves it to the next. */
export function takeOpenedRun(capsuleId: string): string | undefined {
  if (isLeaving) return undefined;
  const stored = sessionStorage.getItem(openedKey(capsuleId));
  if (stored === null) return undefined;
  sessionStorage.removeItem(openedKey(capsuleId));
  const { planRunId, from } = JSON.parse(stored) as { planRunId: string; from: string };
  return reloadedPath === from ? planRunId : undefined;
}

/** Returns the attempt of this tab that a reload interrupted. */
export function readStoredAttempt(capsuleId: string): Attempt | undefined {
  const stored = sessionStorage.getItem(storageKey(capsuleId));
  return stored === null ? undefined : (JSON.parse(stored) as Attempt);
}

export function putAttempt(attempt: Attempt): void {
  const { capsuleId } = attempt.target;
  attempts.set(capsuleId, attempt);
  const { failure, ...stored } = attempt;
  // A lost answer does not end the attempt: a page that is left aborts its requests, and the next page sends them
  // again.
  const isOver = failure !== undefined && !(failure.kind === 'refused' && failure.error instanceof OfflineError);
  if (isOver || attempt.isFromElsewhere) sessionStorage.removeItem(storageKey(capsuleId));
  else sessionStorage.setItem(storageKey(capsuleId), JSON.stringify(stored));
  for (const listener of listeners) listener();
}

export function removeAttempt(capsuleId: string): void {
  attempts.delete(capsuleId);
  sessionStorage.removeItem(storageKey(capsuleId));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useAttempt = (capsuleId: string): Attempt | undefined =>
  useSyncExternalStore(subscribe, () => attempts.get(capsuleId));
