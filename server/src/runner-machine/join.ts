import { loadNats, NatsError } from '#server/drivers/nats/index';
import { StartError } from '#server/kernel/start-error';
import type { MachineFacts } from '#shared/runner-pools/contract';
import type { Identity } from './identity.ts';
import { persistFor } from './persist.ts';

const refusals = {
  enrolment_closed: 'This enrolment was used by another machine, has expired or was cancelled.',
  proof_refused: 'The text of this enrolment was changed.',
  runner_outdated: 'This version of Ground Control is too old for the server.',
} as const;

const refusalOf = (reason: keyof typeof refusals): StartError =>
  new StartError(`${refusals[reason]} Make a new one with groundctl runners enrol.`);

/** Time for which the server may not answer. */
const joinMs = 60_000;

/** Joins a pool with the text of an enrolment. Returns the identity, which nothing else knows. Throws `StartError`. */
export async function joinPool(text: string, facts: Pick<MachineFacts, 'name' | 'productVersion'>): Promise<Identity> {
  const nats = await loadNats();
  const { enrolmentId, urls, ca, verifyWith, jwt, seed, token } = nats.readEnrolment(text);
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
