/** Thrown when the server did not answer, or the connection broke. */
export class LineError extends Error {}
