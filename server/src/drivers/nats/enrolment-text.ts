import { z } from 'zod';
import { Secret } from '#server/kernel/secret';
import { id } from '#shared/kernel/id';
import { maxAuthorityChars } from './authority-file.ts';
import { NatsError } from './nats-error.ts';

const maxChars = 262_144;
const prefix = 'groundctl-enrolment-1.';

const content = z.strictObject({
  enrolmentId: id('runnerEnrolment'),
  urls: z.array(z.string().max(300)).min(1).max(16),
  ca: z.string().max(maxAuthorityChars).optional(),
  verifyWith: z.base64().max(128),
  jwt: z.string().max(4_096),
  seed: z.string().regex(/^SU[A-Z2-7]{56}$/),
  token: z.string().regex(/^[\w-]{43}$/),
});

/** Everything that a new runner needs to join. The text is secret until it was used or has expired. */
export type EnrolmentContent = {
  enrolmentId: string;
  /** Addresses of NATS. */
  urls: readonly string[];
  /** Pinned certificate authority as PEM. */
  ca?: string | undefined;
  /** Public key of the server: base64, SPKI. */
  verifyWith: string;
  /** User that may send the question `enrol` and nothing else. */
  jwt: string;
  seed: Secret;
  /** Proves the machine's keys; see `enrolmentProof`. */
  token: Secret;
};

/** Returns the text that a person copies to the runner's machine: one line. */
export const writeEnrolment = ({ seed, token, ...rest }: EnrolmentContent): string =>
  prefix + Buffer.from(JSON.stringify({ ...rest, seed: seed.reveal(), token: token.reveal() })).toString('base64url');

/** Reads the text of an enrolment; white space around it is ignored. Throws `enrolment_invalid`. */
export function readEnrolment(text: string): EnrolmentContent {
  const line = text.trim();
  if (line.length > maxChars || !line.startsWith(prefix)) throw new NatsError('enrolment_invalid');
  try {
    const { seed, token, ...rest } = content.parse(
      JSON.parse(Buffer.from(line.slice(prefix.length), 'base64url').toString()),
    );
    return { ...rest, seed: new Secret(seed), token: new Secret(token) };
  } catch {
    // The cause would contain the secrets.
    throw new NatsError('enrolment_invalid');
  }
}
