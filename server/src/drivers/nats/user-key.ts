import { createUser } from '@nats-io/nkeys';
import { Secret } from '#server/kernel/secret';
import { names } from './names.ts';

/** NATS key of a runner, which it creates itself. */
export type UserKey = { publicKey: string; seed: Secret };

export function createUserKey(): UserKey {
  const user = createUser();
  return { publicKey: user.getPublicKey(), seed: new Secret(user.getSeed()) };
}

/** Returns the prefix of the inboxes that a runner or an enrolment may read. Throws `name_invalid`. */
export const inboxOf = (senderId: string): string => names.inbox(senderId);
