import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';

/** Names in a folder, in order; empty when it does not exist. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** True when a file exists and its bytes have this digest, `sha256:` and hex. */
export async function hasDigest(file: string, digest: string): Promise<'same' | 'other' | 'absent'> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'other';
  }
  return `sha256:${hash.digest('hex')}` === digest ? 'same' : 'other';
}
