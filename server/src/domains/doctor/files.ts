import { readdirSync } from 'node:fs';
import { digestOfFile } from '#server/kernel/file-digest';

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
  try {
    return (await digestOfFile(file)) === digest ? 'same' : 'other';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'other';
  }
}
