import { ReadableStream as NodeStream } from 'node:stream/web';
import { asBackupError, damaged } from './backup-error.ts';

export type ByteReader = {
  /** Returns exactly this many bytes. Throws `backup_damaged` when the stream ends before them. */
  take: (length: number) => Promise<Buffer>;
  /** Yields exactly this many bytes, as they come. */
  pass: (length: number) => AsyncGenerator<Uint8Array, void, void>;
  /** Throws `backup_damaged` unless the stream ends here. */
  finish: () => Promise<void>;
  /** Ends the stream. */
  close: () => Promise<void>;
};

/** Reads a stream front to back, and holds one chunk of it. */
export function createByteReader(stream: ReadableStream<Uint8Array>): ByteReader {
  const chunks = stream.getReader();
  let held: Uint8Array = new Uint8Array(0);
  const next = async (): Promise<boolean> => {
    while (held.length === 0) {
      const { done, value } = await chunks.read().catch((error: unknown) => {
        throw asBackupError(error);
      });
      if (done) return false;
      held = value;
    }
    return true;
  };
  async function* pass(length: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = length; left > 0; ) {
      if (!(await next())) throw damaged();
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  const take = async (length: number): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of pass(length)) pieces.push(piece);
    return Buffer.concat(pieces, length);
  };
  const finish = async (): Promise<void> => {
    if (await next()) throw damaged();
  };
  return { take, pass, finish, close: () => chunks.cancel().catch(() => undefined) };
}

/** Turns chunks into a stream. Node's class has `from`, which the type of the global one lacks. */
export const streamOf = (chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> =>
  NodeStream.from(chunks) as ReadableStream<Uint8Array>;

/** Iterates over a stream; the type of the global class lacks that too. */
export const iterate = (stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> =>
  stream as unknown as NodeStream<Uint8Array>;
