import { hkdfSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '#server/kernel/start-error';
import { keyBytes } from './master-key.ts';

/**
 * Returns the path of the key of the first versions: one file in the data folder, from which every other key was
 * derived. Values it sealed are read until all of them are re-encrypted. Keys derived from it are still derived, from a
 * copy that is itself sealed.
 */
export const interimKeyFile = (dataDir: string): string => path.join(dataDir, 'keys', 'data.key');

/**
 * Returns the interim key of a data folder; undefined when it has none (any more). Throws `StartError` for a damaged
 * one.
 */
export function readInterimKey(dataDir: string): Buffer | undefined {
  const file = interimKeyFile(dataDir);
  if (!existsSync(file)) return undefined;
  const key = readFileSync(file);
  if (key.length === keyBytes) return key;
  throw new StartError(
    'The key file keys/data.key of this data folder is damaged: it does not hold 32 bytes. Restore a copy of it.',
  );
}

const derive = (key: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, keyBytes));

export const interimSealKey = (key: Buffer): Buffer => derive(key, 'data');
export const interimCapsuleKey = (key: Buffer, capsuleId: string): Buffer => derive(key, `capsule:1:${capsuleId}`);
export const interimInstallationKey = (key: Buffer, purpose: string): Buffer => derive(key, `installation:${purpose}`);
