import { ApiError } from './client.ts';

type Answer = { nextAction: 'reconcile' | 'review_run' | 'none' };
type StepReply<A> = { status: number; body: A; retryAfterSeconds?: number | undefined };

/** Requests of one step-by-step plan, such as an installation. */
export type PlanRequests<A> = {
  /** Advances the plan by one step. */
  reconcile: () => Promise<StepReply<A>>;
  /** Reads the plan without side effects. */
  read: () => Promise<{ body: A }>;
};

/** Waits before the next request, in milliseconds. Rejects with the reason of the signal when it aborts. */
export type Pause<A> = (ms: number, signal: AbortSignal, answer: A | undefined) => Promise<void>;

export type ReconcileOptions<A> = {
  signal: AbortSignal;
  /** Answer that is known already, such as that of the creation. */
  first?: A | undefined;
  onAnswer?: (answer: A) => void;
  /** Returns true to stop before the next step, for example until a person has confirmed it. */
  holdsAt?: (answer: A) => boolean | Promise<boolean>;
  /** Returns true for an error after which the step is requested again, such as a lost connection. */
  isTransient?: (error: unknown) => boolean;
  pause?: Pause<A>;
};

/** Errors in a row after which the last one is thrown; with the backoff these are about two hours. */
const maxErrors = 1_000;
/** A plan has about ten steps. The bound ends the loop when a server reports steps without end. */
const maxSteps = 100;
const defaultWaitMs = 1_000;
const maxBackoffMs = 8_000;

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ApiError && codes.includes(error.code);

/**
 * Advances a step-by-step plan until it needs a person, and returns its last answer. Waits while another client
 * advances it. Throws the refusal of the server when a step is not possible now, for example without a tool, and the
 * reason of the signal when it aborts.
 */
export async function reconcileToEnd<A extends Answer>(
  requests: PlanRequests<A>,
  { signal, first, onAnswer, holdsAt = () => false, isTransient = () => false, pause = sleep }: ReconcileOptions<A>,
): Promise<A> {
  const isLast = async (one: A) => one.nextAction !== 'reconcile' || (await holdsAt(one));
  let answer = first;
  let steps = 0;
  let errors = 0;
  while (!answer || (steps < maxSteps && !(await isLast(answer)))) {
    signal.throwIfAborted();
    const step = await takeStep(requests, isTransient);
    signal.throwIfAborted();
    if (step.answer) onAnswer?.(step.answer);
    answer = step.answer ?? answer;
    errors = step.error === undefined ? 0 : errors + 1;
    if (step.isTaken) steps += 1;
    else await pause(waitOf(step, errors), signal, step.answer);
  }
  return answer;
}

/** Returns the wait before the next request in milliseconds. Throws the error of a step that failed too often. */
function waitOf({ waitMs, error }: Step<unknown>, errors: number): number {
  if (errors > maxErrors) throw error;
  return waitMs ?? Math.min(defaultWaitMs * 2 ** (errors - 1), maxBackoffMs);
}

/** A step that was taken, one that waits (`waitMs`), or one that another client or a lost connection prevented. */
type Step<A> = { isTaken: boolean; answer?: A; waitMs?: number; error?: unknown };

async function takeStep<A extends Answer>(
  { reconcile, read }: PlanRequests<A>,
  isTransient: (error: unknown) => boolean,
): Promise<Step<A>> {
  try {
    const { status, body, retryAfterSeconds } = await reconcile();
    if (status !== 202) return { isTaken: true, answer: body };
    const waitMs = retryAfterSeconds === undefined ? defaultWaitMs : retryAfterSeconds * 1_000;
    return { isTaken: false, answer: body, waitMs };
  } catch (error) {
    if (isTransient(error)) return { isTaken: false, error };
    if (!hasCode(error, 'reconcile_in_progress', 'reconcile_conflict')) throw error;
    // A step of another client is as good as one of this loop, when it was the last.
    const { body } = await read();
    return body.nextAction === 'reconcile' ? { isTaken: false, error, answer: body } : { isTaken: true, answer: body };
  }
}

/** Requests at intervals of one second, until the longest step of the server has ended. */
const cancelAttempts = 20;

/** Cancels a step-by-step plan. Awaits a step in progress; throws the refusal of the server when it does not end. */
export async function cancelPlan<A>(
  cancel: () => Promise<{ body: A }>,
  { signal, pause = sleep }: { signal: AbortSignal; pause?: Pause<A> },
): Promise<A> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await cancel()).body;
    } catch (error) {
      if (!hasCode(error, 'reconcile_in_progress') || attempt === cancelAttempts) throw error;
      await pause(defaultWaitMs, signal, undefined);
    }
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
