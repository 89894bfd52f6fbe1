import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Returns the size of a stream, and `sha256:` and hex of its bytes. Throws the error of the stream. */
export async function measureStream(chunks: AsyncIterable<Uint8Array>): Promise<{ digest: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes };
}

/** Returns `sha256:` and hex of the bytes of a file. Throws the file system's error. */
export const digestOfFile = async (file: string): Promise<string> =>
  (await measureStream(createReadStream(file))).digest;
