/** The server cannot start; the sentence says what to do. */
export class StartError extends Error {}
