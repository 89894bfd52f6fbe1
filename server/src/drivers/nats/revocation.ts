import { z } from 'zod';
import type { Authority, Revocations } from './authority.ts';
import type { Connection } from './connection.ts';
import { NatsError } from './nats-error.ts';
import { translated } from './translate.ts';

const updateMs = 5_000;
const updateAnswer = z.object({ data: z.object({ code: z.number() }) });

/**
 * Publishes a version of the runners' account with these revocations, through a connection of the system user. NATS
 * then ends live connections of the revoked users and refuses new ones, also after its restart. The list is complete: a
 * user stays in it until its JWT has expired. Rejects with `revocation_failed`, `timeout` or another `NatsError`.
 */
export async function publishRevocations(
  systemConnection: Connection,
  authority: Authority,
  revocations: Revocations,
): Promise<void> {
  await publish(systemConnection, authority.runnersJwt(revocations));
}

/**
 * Publishes a version of the servers' account that ends every server whose user was signed at this second or before, and
 * refuses it from then on. Rejects like `publishRevocations`.
 */
export const revokeServers = (systemConnection: Connection, authority: Authority, second: number): Promise<void> =>
  publish(systemConnection, authority.serverJwt(second));

async function publish(systemConnection: Connection, update: string): Promise<void> {
  let answer: unknown;
  try {
    const message = await systemConnection.request('$SYS.REQ.CLAIMS.UPDATE', update, { timeout: updateMs });
    answer = message.json();
  } catch (error) {
    throw translated(error);
  }
  const parsed = updateAnswer.safeParse(answer);
  if (!parsed.success || parsed.data.data.code !== 200) throw new NatsError('revocation_failed');
}
