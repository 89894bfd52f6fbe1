import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '#server/kernel/start-error';
import { openBytes, type SealContext, sealBytes } from './seal.ts';

/** Seals what must not lie in clear, and derives the keys that leave this process. */
export type Vault = {
  readonly keyVersion: number;
  seal(context: SealContext, plain: Uint8Array): Buffer;
  open(context: SealContext, sealed: Buffer): Buffer;
  /** 32 bytes for one Capsule: the tool seals plan and state with it, and code in its sandbox could read it. */
  capsuleKey(capsuleId: string): Buffer;
  /** A key of the installation for one purpose, hex; it never leaves the process. */
  installationKey(purpose: string): string;
};

const keyBytes = 32;

/** Opens the vault whose key is a file of the data folder, made at the first start with mode 0600. */
export async function openKeyFileVault(dataDir: string): Promise<Vault> {
  const key = readOrMakeKey(path.join(dataDir, 'keys', 'data.key'));
  const derive = (info: string) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, keyBytes));
  const dataKey = derive('data');
  const keyVersion = 1;
  return {
    keyVersion,
    seal: (context, plain) => sealBytes(dataKey, keyVersion, { context, plain }),
    open: (context, sealed) => openBytes(dataKey, { context, sealed }),
    capsuleKey: (capsuleId) => derive(`capsule:${keyVersion}:${capsuleId}`),
    installationKey: (purpose) => derive(`installation:${purpose}`).toString('hex'),
  };
}

function readOrMakeKey(file: string): Buffer {
  if (existsSync(file)) {
    const key = readFileSync(file);
    if (key.length !== keyBytes) {
      throw new StartError(
        'The key file keys/data.key of this data folder is damaged: it does not hold 32 bytes. Put back a copy of it.',
      );
    }
    return key;
  }
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const key = randomBytes(keyBytes);
  const temporary = `${file}.new`;
  const handle = openSync(temporary, 'w', 0o600);
  writeSync(handle, key);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(temporary, file);
  return key;
}
