/** What stands in place of a secret, in every encoding of it. */
export const redactedMark = '[redacted]';
