/** Where a test may end the process: after each of these everything is as it was, or goes on at the next start. */
export const keySteps = [
  // A first key.
  'made',
  'begun',
  // Another master key.
  'incoming',
  'verified',
  'rewrapped',
  'removed',
  // Everything sealed anew, chunk by chunk, and what an update does at its end.
  'renewed',
  'resealed',
  'walked',
  'vacuumed',
  'forgotten',
  'finished',
  'retired',
] as const;
export type KeyStep = (typeof keySteps)[number];
