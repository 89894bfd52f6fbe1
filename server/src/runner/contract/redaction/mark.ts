/** Replacement for a secret, in every encoding of it. */
export const redactedMark = '[redacted]';
