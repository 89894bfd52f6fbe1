import {
  AckPolicy,
  type ConsumerConfig,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NatsReplicas } from '#server/kernel/settings-nats';
import {
  allJournals,
  allOffers,
  type Direction,
  journalStream,
  ledgerConsumer,
  names,
  offerStream,
  termStream,
  termSubject,
} from './names.ts';

const second = 1_000;
const day = 24 * 3_600 * second;
/** Time within which a message with the same id is dropped. */
const duplicateWindow = nanos(120 * second);
/** Pieces of one Run that wait for the ledger; more wait on the runner's disk, and other Runs go on. */
const maxPieces = 4_096;

export type StreamOptions = {
  /** Copies of every message; one unless given. */
  replicas?: NatsReplicas | undefined;
  /** Bytes of journals that wait for the ledger. */
  journalBytes?: number;
  /**
   * Bytes of files that one runner may leave in NATS. They are deleted when the server has taken the piece that names them,
   * so those of one piece must fit: a plan with its document and its built archive, or two states.
   */
  fileBytes?: number;
};
export type StreamSettings = Partial<StreamConfig> & { name: string };

const oneReplica: NatsReplicas = { count: 1, isNamed: false };
const usual = { journalBytes: 1_073_741_824, fileBytes: 1_610_612_736 };

/** Settings of the streams. */
export function streamSettings(options: StreamOptions) {
  const { replicas = oneReplica, journalBytes, fileBytes } = { ...usual, ...options };
  const common = { storage: StorageType.File, num_replicas: replicas.count };
  return {
    offers: (): StreamSettings => ({
      ...common,
      name: offerStream,
      subjects: [allOffers],
      retention: RetentionPolicy.Workqueue,
      max_age: nanos(day),
      duplicate_window: duplicateWindow,
    }),
    journals: (): StreamSettings => ({
      ...common,
      name: journalStream,
      subjects: [allJournals],
      // A piece is deleted when the ledger has acknowledged it, so that only those that wait count for the limits.
      retention: RetentionPolicy.Interest,
      // A full stream refuses a piece, which then stays on the runner's disk.
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      max_msgs_per_subject: maxPieces,
      max_bytes: journalBytes,
      max_age: nanos(7 * day),
      duplicate_window: duplicateWindow,
    }),
    /** A stream for each runner and direction, so that a runner can only fill its own. Files are deleted after a day. */
    files: (runnerId: string, direction: Direction): StreamSettings => ({
      ...common,
      name: names.fileStream(runnerId, direction),
      subjects: [names.filesOf(runnerId, direction)],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.New,
      max_msgs_per_subject: 1,
      // NATS reserves the bytes of a limit when a stream is created, so files of the server have none.
      ...(direction === 'out' && { max_bytes: fileBytes }),
      max_age: nanos(day),
      allow_direct: true,
    }),
    /** One message, which only a write on a condition replaces. */
    term: (): StreamSettings => ({
      ...common,
      name: termStream,
      subjects: [termSubject],
      retention: RetentionPolicy.Limits,
      max_msgs_per_subject: 1,
    }),
    copies: replicas.count,
    /** Reports whether streams may lose copies that they have. */
    mayReduce: replicas.isNamed,
  };
}

export const ledgerSettings = (): Partial<ConsumerConfig> => ({
  durable_name: ledgerConsumer,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(30 * second),
  max_ack_pending: maxPieces,
});

/** An offer that no runner acknowledges within ten seconds is offered again. */
export const poolSettings = (poolId: string): Partial<ConsumerConfig> => ({
  durable_name: names.poolConsumer(poolId),
  filter_subject: names.offersOf(poolId),
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(10 * second),
  max_deliver: -1,
  max_ack_pending: 1_000,
});
