import { jetstream } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { type Direction, names } from './names.ts';
import { NatsError } from './nats-error.ts';
import { translated } from './translate.ts';

export type PartAddress = { file: string; part: number };

/** Sealed parts of the files of one runner in one direction. Methods reject with `NatsError`. */
export type PartStore = {
  /** Resolves when NATS has the part on its disk. A part of the same name is replaced. */
  put(address: PartAddress, sealed: Uint8Array): Promise<void>;
  /** Returns undefined for a part that is not there. */
  find(address: PartAddress): Promise<Uint8Array | undefined>;
};

/** Time for one part. A connection that is cut swallows requests, so each one has its own limit. */
const usualPartMs = 15_000;

type StoreInput = { connection: Connection; runnerId: string; direction: Direction; partMs?: number };

/** Opens the store of a runner; a runner reads `in` and writes `out`, the server the other way round. */
export function openPartStore({ connection, runnerId, direction, partMs = usualPartMs }: StoreInput): PartStore {
  const stream = names.fileStream(runnerId, direction);
  const subjectOf = ({ file, part }: PartAddress) => names.part({ runnerId, direction, file, part });
  return {
    async put(address, sealed) {
      try {
        await jetstream(connection).publish(subjectOf(address), sealed, { timeout: partMs, retries: 0 });
      } catch (error) {
        throw translated(error);
      }
    },
    async find(address) {
      let message: Msg;
      try {
        const subject = `$JS.API.DIRECT.GET.${stream}.${subjectOf(address)}`;
        message = await connection.request(subject, undefined, { timeout: partMs });
      } catch (error) {
        throw translated(error);
      }
      const { code = 0 } = message.headers ?? {};
      if (code === 404) return undefined;
      if (code !== 0) throw new NatsError('timeout');
      return message.data;
    },
  };
}
