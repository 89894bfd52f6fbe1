import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { untilAborted } from '#server/kernel/until-aborted';
import type { Connection } from './connection.ts';
import { termSubject } from './names.ts';
import { termSettings } from './stream-settings.ts';
import { translated } from './translate.ts';

/** Content of the term, and the revision that a conditional write names. */
export type StoredTerm = { bytes: Uint8Array; tag: string };
type Condition = { ifAbsent: true } | { ifMatch: string };
type Cancel = { signal: AbortSignal };

const publishMs = 4_000;
const absent = 10_037;
const streamAbsent = 10_059;
const wrongRevision = new Set([10_071, 10_164]);

export type TermStore = ReturnType<typeof createTermStore>;

/**
 * Reads and writes the one message that names the server that may write: a bucket of one key. Methods reject with
 * `NatsError`.
 */
export function createTermStore(connection: Connection) {
  let isPrepared = false;
  async function prepare(): Promise<void> {
    if (isPrepared) return;
    await (await jetstreamManager(connection)).streams.add(termSettings);
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
        const { streams } = await jetstreamManager(connection);
        try {
          const message = await streams.getMessage(termSettings.name, { last_by_subj: termSubject });
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
