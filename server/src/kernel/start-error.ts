/** The server cannot start. The message says what to do. */
export class StartError extends Error {}

/** The server cannot start, because another one was promoted. A restart changes nothing before a person has acted. */
export class SupersededError extends StartError {}
