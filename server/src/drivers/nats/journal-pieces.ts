import { type JsMsg, jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { journalStream, ledgerConsumer, names, parseJournalSubject } from './names.ts';
import { NatsError } from './nats-error.ts';
import { maxPieceBytes, pieceHead, pieceHeaders } from './protocol.ts';
import { pause } from './retry.ts';
import { boxBytes } from './run-box.ts';
import { translated } from './translate.ts';

const usualPublishMs = 5_000;

/** A piece of a journal: whole lines from a byte offset, sealed with the Run key. */
export type JournalPiece = { runnerId: string; jobId: string; ticket: string; offset: number; sealed: Uint8Array };

/**
 * Publishes a piece and resolves when NATS has it on its disk. `turn` counts how often the runner went back: a piece
 * with the same ticket, turn and offset is dropped as a duplicate. Rejects with `stream_full`, `timeout`, `denied`.
 */
export async function publishPiece(
  connection: Connection,
  piece: JournalPiece & { turn: number; publishMs?: number },
): Promise<void> {
  const { runnerId, jobId, ticket, offset, sealed, turn, publishMs = usualPublishMs } = piece;
  const head = headers();
  head.set(pieceHeaders.ticket, ticket);
  head.set(pieceHeaders.offset, String(offset));
  const options = { msgID: `${ticket}.${turn}.${offset}`, headers: head, timeout: publishMs, retries: 0 };
  try {
    await jetstream(connection).publish(names.journal(runnerId, jobId), sealed, options);
  } catch (error) {
    throw translated(error);
  }
}

type FollowInput = {
  /**
   * Commits pieces, in their order in the stream. They are acknowledged when it resolves, and delivered again after
   * `retryMs` when it rejects.
   */
  commit: (pieces: readonly JournalPiece[]) => void | Promise<void>;
  /** Called for each piece without a valid form, which is dropped. */
  onRefused: (runnerId: string | undefined) => void;
  /** Called when the stream was lost or `commit` failed; it is read again after `retryMs`. */
  onFault: (error: unknown) => void;
  signal: AbortSignal;
  retryMs?: number;
};

/** Most pieces that are committed together. */
const batchSize = 256;
const usualRetryMs = 1_000;
/** A pull whose heartbeats are missing is repeated, for example when the member of the cluster that had it was lost. */
const pullMs = 10_000;
const heartbeatMs = 1_000;

/** Reads the journals of all runners for the ledger until the signal aborts. */
export async function followJournals(connection: Connection, input: FollowInput): Promise<void> {
  const { signal, onFault, retryMs = usualRetryMs } = input;
  while (!signal.aborted) {
    try {
      await readStream(connection, input);
    } catch (error) {
      if (signal.aborted) return;
      onFault(error);
      await pause(retryMs, signal).catch(() => {});
    }
  }
}

async function readStream(connection: Connection, input: FollowInput): Promise<void> {
  const consumer = await jetstream(connection).consumers.get(journalStream, ledgerConsumer);
  // Without `bind` the client looks the consumer up first and waits for `expires` after a failure, up to 15 seconds each time.
  const limits = { max_messages: batchSize, expires: pullMs, idle_heartbeat: heartbeatMs };
  const messages = await consumer.consume({ ...limits, bind: true });
  const stop = () => messages.stop();
  input.signal.addEventListener('abort', stop, { once: true });
  let batch: JsMsg[] = [];
  try {
    for await (const message of messages) {
      batch.push(message);
      // Everything that has arrived is committed together.
      if (batch.length < batchSize && messages.getPending() > 0) continue;
      await commitBatch(batch, input);
      batch = [];
    }
  } finally {
    input.signal.removeEventListener('abort', stop);
    messages.stop();
  }
}

async function commitBatch(messages: readonly JsMsg[], input: FollowInput): Promise<void> {
  const { commit, onRefused, retryMs = usualRetryMs } = input;
  const valid = messages.flatMap((message) => {
    const piece = readPiece(message);
    if (!piece) onRefused(findRunner(message));
    return piece ?? [];
  });
  try {
    if (valid.length > 0) await commit(valid);
  } catch (error) {
    for (const message of messages) message.nak(retryMs);
    throw error;
  }
  for (const message of messages) message.ack();
}

function findRunner({ subject }: JsMsg): string | undefined {
  try {
    return parseJournalSubject(subject).runnerId;
  } catch {
    return undefined;
  }
}

function readPiece(message: JsMsg): JournalPiece | undefined {
  try {
    const { ticket, offset } = pieceHead.parse({
      ticket: message.headers?.get(pieceHeaders.ticket),
      offset: message.headers?.get(pieceHeaders.offset),
    });
    if (message.data.length > maxPieceBytes + boxBytes) throw new NatsError('piece_invalid');
    return { ...parseJournalSubject(message.subject), ticket, offset, sealed: message.data };
  } catch {
    return undefined;
  }
}
