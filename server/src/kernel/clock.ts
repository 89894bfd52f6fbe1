/** Source of time for the ledger. Tests can stop it. */
export type Clock = { /** Epoch milliseconds. */ now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** ISO-8601 UTC with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
