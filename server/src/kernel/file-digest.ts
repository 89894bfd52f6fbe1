import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Returns `sha256:` and hex of the bytes of a file. Throws the file system's error. */
export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
