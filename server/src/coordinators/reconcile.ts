/** What a step leads to: it was done, it still waits for something, or it cannot be done. */
export type Progress<S, D> =
  | { kind: 'done'; state: Partial<S> }
  | { kind: 'waiting' }
  | { kind: 'failed'; diagnostic: D };

/**
 * One rung of a coordinator: how to tell that it is done, and how to take it. Taking may wait and look things up; what it
 * returns writes, in the transaction that also persists the step. Taking it twice is harmless.
 */
export type Step<S, D> = {
  readonly name: string;
  readonly isDone: (state: S) => boolean;
  readonly take: (state: S) => Promise<() => Progress<S, D>>;
};

/** The first step that is not done, or undefined when all are. */
export const findStep = <S, D>(steps: readonly Step<S, D>[], state: S): Step<S, D> | undefined =>
  steps.find(({ isDone }) => !isDone(state));

export const done = <S>(state: Partial<S>) => ({ kind: 'done' as const, state });
export const waiting = { kind: 'waiting' as const };
export const failed = <D>(diagnostic: D) => ({ kind: 'failed' as const, diagnostic });
