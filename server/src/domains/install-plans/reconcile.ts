import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { type Diagnostic, isEnded, type PlanRow, type PlanStage } from './plan-record.ts';

/** Result of a step: it created something, it was the last, it still waits, or it failed. */
export type Progress<F, C extends string> =
  | { kind: 'done'; facts: Partial<F> }
  | { kind: 'finished' }
  | { kind: 'waiting' }
  | { kind: 'failed'; diagnostic: Diagnostic<C>; facts?: Partial<F> };

/**
 * One step of a step-by-step plan: a test for completion, and the work. The work may wait and look things up; it returns a write that runs
 * in the transaction that also persists the step. Repeating a step is safe.
 */
export type Step<S, F, C extends string> = {
  readonly name: string;
  /** Reported with the diagnostic of a plan that fails at this step. */
  readonly stage: PlanStage;
  readonly isDone: (state: S) => boolean;
  readonly take: (state: S) => Promise<() => Progress<F, C>>;
};

/** Returns the first incomplete step, or undefined when all are complete. */
export const findStep = <S, F, C extends string>(steps: readonly Step<S, F, C>[], state: S) =>
  steps.find(({ isDone }) => !isDone(state));

export const done = <F>(facts: Partial<F>) => ({ kind: 'done' as const, facts });
export const finished = { kind: 'finished' as const };
export const waiting = { kind: 'waiting' as const };
export const failed = <C extends string>(diagnostic: Diagnostic<C>) => ({ kind: 'failed' as const, diagnostic });

/** Progress of a record, as stored in its row. */
export type Move<F, P, C extends string> = Pick<PlanRow<F, P, C>, 'phase' | 'updatedAt'> &
  Partial<Pick<PlanRow<F, P, C>, 'facts' | 'diagnostic' | 'completedAt'>>;

/** One kind of record that advances step by step. */
export type ReconcilerPorts<R extends PlanRow<F, P, C>, S, F, P, C extends string, A> = {
  db: Db;
  clock: Clock;
  /** Noun for the record in error messages. */
  noun: string;
  steps: readonly Step<S, F, C>[];
  getRow: (id: string) => R;
  stateOf: (row: R) => S;
  /** Derives the phase from the records that exist. */
  phaseOf: (facts: F) => P;
  /** Diagnostic code for a refusal of the domains below. */
  codeOf: (refusal: AppError) => C;
  /** Reported by a step that waits; the record itself is unchanged. */
  retryable: Diagnostic<C>;
  /** Persists a step of a record that still has this generation; false when it does not. */
  move: (id: string, generation: number, to: Move<F, NoInfer<P> | 'reviewable' | 'failed', C>) => boolean;
  /** Records a step in the activity and the outbox; without an actor the server took the step. */
  record: (row: R, actorId: string | undefined) => void;
  answerOf: (row: R) => A;
};

type Taken<F, C extends string> = { stage: PlanStage; commit: () => Progress<F, C> };
/** The record after a persisted step, or before a step that still waits. */
type Advanced<A> = { answer: A; waits: boolean };

type Reconciler<C extends string, A> = {
  /**
   * Takes the first incomplete step of a record. The look-up part runs now; the returned write checks the generation it started from. 409
   * `reconcile_in_progress` and `reconcile_conflict`; temporary conditions, such as a missing tool, are thrown on.
   */
  advance(id: string, actorId: string): Promise<() => Advanced<A>>;
  /**
   * Ends a record as failed in the caller's transaction; a record that has ended is unchanged. 409 `reconcile_in_progress` while a step is
   * in progress.
   */
  fail(id: string, diagnostic: Diagnostic<C>, actorId?: string): A;
};

export function createReconciler<R extends PlanRow<F, P, C>, S, F, P, C extends string, A>(
  one: ReconcilerPorts<R, S, F, P, C, A>,
): Reconciler<C, A> {
  const inProgress = new Set<string>();

  function requireIdle(id: string): void {
    if (!inProgress.has(id)) return;
    const message = `Another request is advancing this ${one.noun}. Try again in a moment.`;
    throw new AppError('reconcile_in_progress', message);
  }

  function persist(row: R, { stage, commit }: Taken<F, C>, actorId: string): Advanced<A> {
    const progress = attempt(one, commit);
    if (progress.kind === 'waiting') {
      const diagnostic = { planCreationStage: stage, ...one.retryable };
      return { answer: one.answerOf({ ...one.getRow(row.id), diagnostic }), waits: true };
    }
    if (!one.move(row.id, row.generation, moveOf(one, row, withStage(progress, stage))))
      throw new AppError(
        'reconcile_conflict',
        `The ${one.noun} was modified by another request. Reload and try again.`,
      );
    const moved = one.getRow(row.id);
    one.record(moved, actorId);
    failpoint('install.persisted');
    return { answer: one.answerOf(moved), waits: false };
  }

  async function advance(id: string, actorId: string): Promise<() => Advanced<A>> {
    const row = one.getRow(id);
    const state = one.stateOf(row);
    const step = isEnded(row) ? undefined : findStep(one.steps, state);
    if (!step) return () => ({ answer: one.answerOf(one.getRow(id)), waits: false });
    requireIdle(id);
    failpoint('install.step');
    inProgress.add(id);
    try {
      const commit = await take(step, state);
      failpoint('install.taken');
      return () => persist(row, { stage: step.stage, commit }, actorId);
    } finally {
      inProgress.delete(id);
    }
  }

  function fail(id: string, diagnostic: Diagnostic<C>, actorId?: string): A {
    const row = one.getRow(id);
    if (isEnded(row)) return one.answerOf(row);
    requireIdle(id);
    one.move(row.id, row.generation, moveOf(one, row, failed(diagnostic)));
    const ended = one.getRow(id);
    one.record(ended, actorId);
    return one.answerOf(ended);
  }

  return { advance, fail };
}

/** Takes a step; an error of the look-up part is thrown by the returned write. */
const take = async <S, F, C extends string>(step: Step<S, F, C>, state: S): Promise<() => Progress<F, C>> => {
  try {
    return await step.take(state);
  } catch (error) {
    return () => {
      throw error;
    };
  }
};

/** Wraps a step: it fails when `isUnchanged` is false, before its look-ups and when it writes. */
export const guardStep = <S, F, C extends string>(
  step: Step<S, F, C>,
  isUnchanged: (state: S) => boolean,
  changed: Diagnostic<C>,
): Step<S, F, C> => ({
  ...step,
  take: async (state) => {
    if (!isUnchanged(state)) return () => failed(changed);
    const commit = await take(step, state);
    return () => (isUnchanged(state) ? commit() : failed(changed));
  },
});

type Failing<C> = { db: Db; codeOf: (refusal: AppError) => C };

/** A refusal inside a step rolls back only that step and becomes the diagnostic of the record. */
function attempt<F, C extends string>({ db, codeOf }: Failing<C>, commit: () => Progress<F, C>): Progress<F, C> {
  try {
    return db.write(commit);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const reason = error.details?.reason;
    const message = error.message.slice(0, 256);
    return failed({ code: codeOf(error), message, ...(reason !== undefined && { reason }) });
  }
}

const withStage = <F, C extends string>(
  progress: Exclude<Progress<F, C>, { kind: 'waiting' }>,
  planCreationStage: PlanStage,
): typeof progress =>
  progress.kind === 'failed' ? { ...progress, diagnostic: { planCreationStage, ...progress.diagnostic } } : progress;

function moveOf<F, P, C extends string>(
  { clock, phaseOf }: { clock: Clock; phaseOf: (facts: F) => P },
  row: { facts: F },
  progress: Exclude<Progress<F, C>, { kind: 'waiting' }>,
): Move<F, P | 'reviewable' | 'failed', C> {
  const at = clock.now();
  if (progress.kind === 'failed')
    return {
      phase: 'failed',
      diagnostic: progress.diagnostic,
      ...(progress.facts && { facts: { ...row.facts, ...progress.facts } }),
      completedAt: at,
      updatedAt: at,
    };
  if (progress.kind === 'finished') return { phase: 'reviewable', completedAt: at, updatedAt: at };
  const facts = { ...row.facts, ...progress.facts };
  return { facts, phase: phaseOf(facts), updatedAt: at };
}
