/** Ignores the error that the record no longer exists, because ending it was the goal. */
export function ignoreGone(error: unknown): void {
  if ((error as { status?: number }).status !== 404) throw error;
}
