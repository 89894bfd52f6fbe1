import { loadNats, NatsError } from '#server/drivers/nats/index';
import { StartError } from '#server/kernel/start-error';
import type { MachineFacts } from '#shared/runner-pools/contract';
import { type ChosenAddress, chooseAddress } from './chosen-address.ts';
import type { Identity } from './identity.ts';
import { persistFor } from './persist.ts';

const refusals = {
  enrolment_closed: 'This enrolment was used by another machine, has expired or was cancelled.',
  proof_refused: 'The text of this enrolment was changed.',
} as const;

const refusalOf = (reason: keyof typeof refusals): StartError =>
  new StartError(`${refusals[reason]} Make a new one with groundctl runners enrol.`);

/** Time for which the server may not answer. */
const joinMs = 60_000;

/** Facts that a machine reports of itself, and the address of NATS where it is not that of the enrolment. */
type Joining = Pick<MachineFacts, 'name' | 'productVersion'> & { chosen: ChosenAddress };

/** Joins a pool with the text of an enrolment. Returns the identity, which nothing else knows. Throws `StartError`. */
export async function joinPool(text: string, { chosen, ...facts }: Joining): Promise<Identity> {
  const nats = await loadNats();
  const { enrolmentId, verifyWith, jwt, seed, token, ...enrolled } = nats.readEnrolment(text);
  const { urls, ca } = chooseAddress(enrolled, chosen);
  const userKey = nats.createUserKey();
  const sealKey = await nats.createSealKey();
  const inboxPrefix = nats.inboxOf(enrolmentId);
  const connection = await nats
    .connectOnce({ urls, ca, credentials: () => ({ jwt, seed }), inboxPrefix })
    .catch((error: unknown) => {
      // NATS refuses it when its time is over.
      throw error instanceof NatsError && error.reason === 'denied' ? refusalOf('enrolment_closed') : error;
    });
  try {
    const keys = { publicKey: userKey.publicKey, sealKey: sealKey.publicKey };
    const proof = nats.enrolmentProof(token, { enrolmentId, ...keys });
    const { name, productVersion } = facts;
    const sender = { connection, senderId: enrolmentId, verifyWith };
    // The server may be starting. A repeated question of the same machine has the same answer.
    const answer = await persistFor(
      () => nats.sendQuestion(sender, 'enrol', { keys, proof, name, productVersion }),
      joinMs,
    );
    if ('refused' in answer) throw refusalOf(answer.refused);
    const { runnerId, poolId, jwt: right } = answer;
    return { runnerId, poolId, urls, ca, verifyWith, userKey, sealKey, jwt: right };
  } finally {
    await connection.close();
  }
}
