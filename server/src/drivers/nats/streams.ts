import { JetStreamApiError, type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import type { Connection } from './connection.ts';
import { type Direction, journalStream, names, offerStream, termStream } from './names.ts';
import {
  ledgerSettings,
  poolSettings,
  type StreamOptions,
  type StreamSettings,
  streamSettings,
} from './stream-settings.ts';
import { translated } from './translate.ts';

export type StreamManager = ReturnType<typeof createStreamManager>;

const directions: readonly Direction[] = ['in', 'out'];

/** Creates, changes and deletes streams and consumers, for the server. Every method can be repeated, and rejects with `NatsError`. */
export function createStreamManager(connection: Connection, options: StreamOptions = {}) {
  const settings = streamSettings(options);
  const manage = async <T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> => {
    try {
      return await work(await jetstreamManager(connection));
    } catch (error) {
      throw translated(error);
    }
  };
  /** Creates a stream, or changes its settings. It keeps the copies that it has unless their number was named. */
  async function ensureStream({ streams }: JetStreamManager, wanted: StreamSettings): Promise<void> {
    const found = await findStream(streams, wanted.name);
    if (!found) return void (await streams.add(wanted));
    const copies = settings.mayReduce ? settings.copies : Math.max(found.config.num_replicas, settings.copies);
    await streams.update(wanted.name, { ...wanted, num_replicas: copies });
  }
  return {
    /** Creates the streams that all pools share, and changes the number of copies of the term. */
    createStreams: (): Promise<void> =>
      manage(async (manager) => {
        await ensureStream(manager, settings.offers());
        await ensureStream(manager, settings.journals());
        if (await findStream(manager.streams, termStream)) await ensureStream(manager, settings.term());
        await manager.consumers.add(journalStream, ledgerSettings());
      }),

    /** Creates the consumer that the runners of a pool share. */
    createPool: (poolId: string): Promise<void> =>
      manage(async ({ consumers }) => void (await consumers.add(offerStream, poolSettings(poolId)))),

    /** Deletes the consumers of pools other than these, and the offers in them. */
    deleteOtherPools: (listPoolIds: () => readonly string[]): Promise<void> =>
      manage(async ({ consumers, streams }) => {
        const found = await allOf(consumers.list(offerStream));
        // Read after those at NATS, so that a pool that is created now is kept.
        const current = new Set(listPoolIds().map(names.poolConsumer));
        for (const { name, config } of found) {
          if (current.has(name)) continue;
          // Found again for as long as its consumer exists, so the offers go first.
          if (config.filter_subject !== undefined) await streams.purge(offerStream, { filter: config.filter_subject });
          await absentAsDone(consumers.delete(offerStream, name));
        }
      }),

    /** Creates the streams of a runner's files. */
    createRunner: (runnerId: string): Promise<void> =>
      manage(async (manager) => {
        for (const direction of directions) await ensureStream(manager, settings.files(runnerId, direction));
      }),

    /** Deletes the streams of runners, as far as they exist. */
    deleteRunners: (runnerIds: readonly string[]): Promise<void> =>
      manage(async ({ streams }) => {
        if (runnerIds.length === 0) return;
        const owned = new Set(
          runnerIds.flatMap((runnerId) => directions.map((direction) => names.fileStream(runnerId, direction))),
        );
        for (const name of await allOf(streams.names())) if (owned.has(name)) await absentAsDone(streams.delete(name));
      }),

    /** Deletes the pieces of a journal that the ledger has to its end. */
    deleteJournal: (runnerId: string, jobId: string): Promise<void> =>
      manage(
        async ({ streams }) => void (await streams.purge(journalStream, { filter: names.journal(runnerId, jobId) })),
      ),

    /** Deletes a file from NATS, for example when it was fetched. */
    deleteFile: (runnerId: string, direction: Direction, file: string): Promise<void> =>
      manage(async ({ streams }) => {
        const filter = names.partsOf({ runnerId, direction, file });
        await streams.purge(names.fileStream(runnerId, direction), { filter });
      }),
  };
}

async function allOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of pages) all.push(one);
  return all;
}

async function findStream(streams: JetStreamManager['streams'], name: string): Promise<StreamInfo | undefined> {
  try {
    return await streams.info(name);
  } catch (error) {
    if (isCode(error, absent)) return undefined;
    throw error;
  }
}

/** Codes of the API: a stream or consumer that does not exist. */
const absent = [10_014, 10_059];

const isCode = (error: unknown, codes: readonly number[]): boolean =>
  error instanceof JetStreamApiError && codes.includes(error.code);

async function absentAsDone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isCode(error, absent)) throw error;
  }
}
