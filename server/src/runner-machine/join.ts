import { loadNats, NatsError } from '#server/drivers/nats/index';
import { systemClock } from '#server/kernel/clock';
import { StartError } from '#server/kernel/start-error';
import type { MachineFacts } from '#shared/runner-pools/contract';
import { type ChosenAddress, chooseAddress } from './chosen-address.ts';
import type { Identity } from './identity.ts';
import { openJoinKeys } from './join-keys.ts';
import { persistFor } from './persist.ts';
import { expiryOf } from './right-expiry.ts';

const again = 'Make a new one with groundctl runners enrol.';
const refusals = {
  enrolment_closed: `This enrolment has expired, was cancelled, or was used: by another machine, or by this one with another data folder. Revoke a machine of groundctl runners list that you do not know. ${again}`,
  enrolment_expired: `This enrolment has expired. ${again} If this machine tried to join with it, revoke the machine of this name in groundctl runners list that was never live.`,
  nats_differs:
    'NATS refuses this enrolment, which has not expired. Check that NATS has the configuration of the same installation (groundctl nats config), and the clock of this machine. Then repeat the command.',
  proof_refused: `The text of this enrolment was changed, or the server does not know it. ${again}`,
} as const;
const refusalOf = (reason: keyof typeof refusals): StartError => new StartError(refusals[reason]);

/** Time for which the server may not answer. */
const joinMs = 60_000;

/** Facts that a machine reports of itself, and the address of NATS where it is not that of the enrolment. */
type Joining = Pick<MachineFacts, 'name' | 'productVersion'> & { chosen: ChosenAddress; dataDir: string };

/**
 * Joins a pool with the text of an enrolment. Returns the identity, which nothing else knows. A repeated call with the
 * same text is the same machine. Throws `StartError`.
 */
export async function joinPool(text: string, { chosen, dataDir, ...facts }: Joining): Promise<Identity> {
  const nats = await loadNats();
  const { enrolmentId, verifyWith, jwt, seed, token, ...enrolled } = nats.readEnrolment(text);
  const { urls, ca } = chooseAddress(enrolled, chosen);
  const create = async () => ({ userKey: nats.createUserKey(), sealKey: await nats.createSealKey() });
  const { userKey, sealKey } = await openJoinKeys(dataDir, enrolmentId, create);
  const inboxPrefix = nats.inboxOf(enrolmentId);
  const connection = await nats
    .connectOnce({ urls, ca, credentials: () => ({ jwt, seed }), inboxPrefix })
    .catch((error: unknown) => {
      if (!(error instanceof NatsError) || error.reason !== 'denied') throw error;
      throw refusalOf(expiryOf(jwt) <= systemClock.now() ? 'enrolment_expired' : 'nats_differs');
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
