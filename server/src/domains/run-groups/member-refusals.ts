import { AppError } from '#server/kernel/errors';
import type { MemberRefusal } from '#shared/run-groups/contract';

/** Returns the refusal of a member, or undefined when the work succeeded. Faults of the server are thrown on. */
export function refusalOf(work: () => unknown): AppError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

/**
 * Does the work for each Run. Throws one error when any Run is refused: the first refusal, with all of them in its
 * details. The caller's transaction then keeps nothing.
 */
export function requireEach(runIds: readonly string[], work: (runId: string) => void): void {
  const refused = runIds.flatMap((runId) => {
    const error = refusalOf(() => work(runId));
    return error ? [{ runId, error }] : [];
  });
  const [first] = refused;
  if (!first) return;
  const { code, message, details } = first.error;
  const refusals = refused.map(
    ({ runId, error }): MemberRefusal => ({
      runId,
      reason: error.details?.reason ?? error.code,
      message: error.message,
    }),
  );
  throw new AppError(code, message, { details: { ...details, refusals } });
}
