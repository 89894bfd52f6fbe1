/** Steps after which a test may end the process: after each one, everything is unchanged or is resumed at the next start. */
export const keySteps = [
  // A first key.
  'made',
  'started',
  // Another master key.
  'incoming',
  'verified',
  'rewrapped',
  'removed',
  // Re-encryption, chunk by chunk, and the last steps of a migration.
  'renewed',
  'resealed',
  'walked',
  'vacuumed',
  'forgotten',
  'finished',
  'retired',
] as const;
export type KeyStep = (typeof keySteps)[number];
