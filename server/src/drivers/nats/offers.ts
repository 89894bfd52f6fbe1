import { AckPolicy, type Consumer, type ConsumerMessages, type JsMsg, jetstream } from '@nats-io/jetstream';
import type { Connection } from './connection.ts';
import { names, type OfferKind, offerStream } from './names.ts';
import { type Offer, offerSchema } from './protocol.ts';
import { translated } from './translate.ts';

const publishMs = 5_000;
/** A long wait whose heartbeats are missing fails, for example when the member of the cluster that had it was lost. */
const heartbeatMs = 2_000;
/** Time after the end of a wait in which NATS should have said that there was no offer. */
const lateMs = 2_000;

/**
 * Publishes an offer. `turn` counts the offers of this Run: within two minutes an offer with the same turn is dropped.
 * Rejects with `NatsError`.
 */
export async function publishOffer(
  connection: Connection,
  { poolId, kind, offer, turn }: { poolId: string; kind: OfferKind; offer: Offer; turn: number },
): Promise<void> {
  const msgID = `${offer.runId}.${turn}`;
  const subject = names.offer(poolId, kind);
  try {
    await jetstream(connection).publish(subject, JSON.stringify(offer), { msgID, timeout: publishMs, retries: 0 });
  } catch (error) {
    throw translated(error);
  }
}

export type TakenOffer = {
  offer: Offer;
  /** Removes it, when the claim was answered; whatever the answer is. */
  acknowledge(): void;
};

/** Opens the offers of a pool, for a runner. `next` waits up to `waitMs` and returns undefined when there was none. */
export function openOffers(connection: Connection, poolId: string) {
  const stream = jetstream(connection);
  // A runner may not ask for the consumer's configuration.
  const consumer: Consumer = stream.consumers.getConsumerFromInfo({
    stream_name: offerStream,
    name: names.poolConsumer(poolId),
    config: { ack_policy: AckPolicy.Explicit },
  } as Parameters<typeof stream.consumers.getConsumerFromInfo>[0]);
  let waiting: ConsumerMessages | undefined;
  // A NATS server that has restarted knows nothing of a wait that began before.
  void (async () => {
    for await (const { type } of connection.status()) if (type === 'reconnect') waiting?.stop();
  })();

  async function nextMessage(waitMs: number): Promise<JsMsg | undefined> {
    const beats = waitMs >= 4 * heartbeatMs && { idle_heartbeat: heartbeatMs };
    const messages = await consumer.fetch({ max_messages: 1, expires: waitMs, ...beats });
    waiting = messages;
    const timer = setTimeout(() => messages.stop(), waitMs + lateMs);
    try {
      for await (const message of messages) return message;
      return undefined;
    } finally {
      clearTimeout(timer);
      waiting = undefined;
    }
  }

  return {
    async next(waitMs: number): Promise<TakenOffer | undefined> {
      let message: JsMsg | undefined;
      try {
        message = await nextMessage(waitMs);
      } catch (error) {
        throw translated(error);
      }
      const offer = message && readOffer(message);
      // A malformed offer would be delivered for ever.
      if (message && !offer) message.term();
      return message && offer ? { offer, acknowledge: () => message.ack() } : undefined;
    },
  };
}

function readOffer(message: JsMsg): Offer | undefined {
  try {
    return offerSchema.parse(message.json());
  } catch {
    return undefined;
  }
}
