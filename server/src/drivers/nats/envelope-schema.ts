import { z } from 'zod';
import { jobId, ticket } from './beat.ts';

/** Largest Job as JSON, in bytes: sealed and encoded it must fit into one message. Larger members travel as files. */
export const maxJobBytes = 524_288;

/** A Job that is sealed for one runner and signed by the server. */
export const envelopeSchema = z.strictObject({
  jobId,
  ticket,
  /** Encapsulated secret and ciphertext (RFC 9180). */
  sealed: z.base64().max(Math.ceil((maxJobBytes + 64) / 3) * 4),
  /** Ed25519 over the addressee and what is sealed. */
  signature: z.base64().max(88),
});
export type Envelope = z.infer<typeof envelopeSchema>;
