/** The only source of time of the ledger, so that a test can hold it still. */
export type Clock = { /** Epoch milliseconds. */ now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** ISO-8601 UTC with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
