import { createHmac, timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '#server/kernel/digest';
import type { Secret } from '#server/kernel/secret';
import type { MachineKeys } from '#shared/runner-pools/contract';

type EnrolledKeys = MachineKeys & { enrolmentId: string };

const macOf = (tokenHash: string, { enrolmentId, publicKey, sealKey }: EnrolledKeys): Buffer =>
  createHmac('sha256', tokenHash).update(`groundctl enrol v1 ${enrolmentId} ${publicKey} ${sealKey}`).digest();

/**
 * Proves that the public keys in the question `enrol` are those of the machine with the text of the enrolment. The token
 * itself is not sent, so NATS and its operator cannot put other keys in their place.
 */
export const enrolmentProof = (token: Secret, keys: EnrolledKeys): string =>
  macOf(sha256Hex(token.reveal()), keys).toString('hex');

/** Checks a proof with the SHA-256 of the token (hex), which is all that the ledger has of it. */
export function isEnrolmentProof(proof: string, tokenHash: string, keys: EnrolledKeys): boolean {
  const expected = macOf(tokenHash, keys);
  const actual = Buffer.from(proof, 'hex');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
