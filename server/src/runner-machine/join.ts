import { loadNats, NatsError } from '#server/drivers/nats/index';
import { StartError } from '#server/kernel/start-error';
import type { MachineFacts } from '#shared/runner-pools/contract';
import type { Identity } from './identity.ts';
import { persistFor } from './persist.ts';

const refusals = {
  enrolment_closed: 'This enrolment was used by another machine, has expired or was cancelled.',
  proof_refused: 'The text of this enrolment was changed.',
} as const;

const refusalOf = (reason: keyof typeof refusals): StartError =>
  new StartError(`${refusals[reason]} Make a new one with groundctl runners enrol.`);

/** Returns other addresses of NATS for a machine. Throws `StartError` for addresses without TLS where the earlier ones had it. */
export function requireSameScheme(earlier: readonly string[], urls: readonly string[]): readonly string[] {
  const isSecure = (url: string) => url.startsWith('tls:');
  if (urls.every(isSecure) === earlier.every(isSecure)) return urls;
  throw new StartError('--connect must use tls:// where the enrolment does, and nats:// where it does not.');
}

/** Time for which the server may not answer. */
const joinMs = 60_000;

/** Facts that a machine reports of itself, and the addresses of NATS where they are not those of the enrolment. */
type Joining = Pick<MachineFacts, 'name' | 'productVersion'> & { urls?: readonly string[] | undefined };

/** Joins a pool with the text of an enrolment. Returns the identity, which nothing else knows. Throws `StartError`. */
export async function joinPool(text: string, { urls: chosen, ...facts }: Joining): Promise<Identity> {
  const nats = await loadNats();
  const { enrolmentId, urls: enrolled, ca, verifyWith, jwt, seed, token } = nats.readEnrolment(text);
  const urls = chosen ? requireSameScheme(enrolled, chosen) : enrolled;
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
