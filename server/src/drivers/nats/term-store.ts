import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsReplicas } from '#server/kernel/settings-nats';
import { untilAborted } from '#server/kernel/until-aborted';
import type { Connection } from './connection.ts';
import { termStream, termSubject } from './names.ts';
import { streamSettings } from './stream-settings.ts';
import { translated } from './translate.ts';

/** Content of the term, and the revision that a conditional write names. */
export type StoredTerm = { bytes: Uint8Array; tag: string };
type Condition = { ifAbsent: true } | { ifMatch: string };
type Cancel = { signal: AbortSignal };

/** The check asks the leader of the whole cluster, so a renewal would wait for the election of two leaders. */
const unchecked = { checkAPI: false };
const publishMs = 4_000;
const absent = 10_037;
const streamAbsent = 10_059;
const existsWithOther = 10_058;
const wrongRevision = new Set([10_071, 10_164]);

export type TermStore = ReturnType<typeof createTermStore>;

/**
 * Reads and writes the one message that names the server that may write: a bucket of one key. Methods reject with
 * `NatsError`. The stream manager changes the number of copies later; here it would delay the term.
 */
export function createTermStore(connection: Connection, replicas?: NatsReplicas) {
  const settings = streamSettings({ replicas }).term();
  let isPrepared = false;
  async function prepare(): Promise<void> {
    if (isPrepared) return;
    try {
      await (await jetstreamManager(connection, unchecked)).streams.add(settings);
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === existsWithOther)) throw error;
    }
    isPrepared = true;
  }
  const bounded = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await untilAborted(work(), signal);
    } catch (error) {
      throw translated(error);
    }
  };

  return {
    /** Returns the newest content from the leader of the stream; undefined when there is none. */
    read: ({ signal }: Cancel): Promise<StoredTerm | undefined> =>
      bounded(async () => {
        const { streams } = await jetstreamManager(connection, unchecked);
        try {
          const message = await streams.getMessage(termStream, { last_by_subj: termSubject });
          return message ? { bytes: message.data, tag: String(message.seq) } : undefined;
        } catch (error) {
          if (error instanceof JetStreamApiError && [absent, streamAbsent].includes(error.code)) return undefined;
          throw error;
        }
      }, signal),

    /** Writes a new content. False when the condition is not met. */
    write: (bytes: Uint8Array, { when, signal }: Cancel & { when: Condition }): Promise<boolean> =>
      bounded(async () => {
        await prepare();
        const lastSubjectSequence = 'ifAbsent' in when ? 0 : Number(when.ifMatch);
        const options = { expect: { lastSubjectSequence }, timeout: publishMs, retries: 0 };
        try {
          await jetstream(connection).publish(termSubject, bytes, options);
          return true;
        } catch (error) {
          if (error instanceof JetStreamApiError && wrongRevision.has(error.code)) return false;
          throw error;
        }
      }, signal),
  };
}
