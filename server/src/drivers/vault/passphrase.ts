import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Secret } from '#server/kernel/secret';
import { isLongPassphrase, shortPassphrase } from '#shared/keys/passphrase';
import { type KeyParams, type KeySource, KeySourceError } from './key-source.ts';
import { keyBytes, type MasterKey, masterKeyOf } from './master-key.ts';
import { readPrivateFile } from './private-file.ts';

/** OWASP's parameters for scrypt: 128 MiB and some tenths of a second per guess. */
const cost = { n: 131_072, r: 8, p: 1 };
const saltBytes = 32;

const derive = promisify(scrypt) as (
  password: Buffer,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>;

/**
 * Derives the master key from a passphrase. Salt and cost are stored in the ledger; the passphrase is not stored.
 * `readPassphrase` returns it, typed or from a file.
 */
export function createPassphraseSource(readPassphrase: () => Secret | undefined): KeySource {
  const require = (): Secret => {
    const passphrase = readPassphrase();
    if (passphrase) return passphrase;
    throw new KeySourceError('passphrase_required', 'The passphrase of this data folder has to be typed in.');
  };
  return {
    kind: 'passphrase',
    keyLocation: 'a passphrase',
    async read({ id, params }) {
      const passphrase = require();
      const key = params && (await keyOf(passphrase, params));
      if (key?.id === id) return key;
      throw new KeySourceError('passphrase_wrong', 'This is not the passphrase of this data folder.');
    },
    async make() {
      const passphrase = require();
      if (!isLongPassphrase(passphrase.reveal())) throw new KeySourceError('passphrase_required', shortPassphrase);
      const params = { salt: randomBytes(saltBytes).toString('base64'), ...cost };
      return { key: await keyOf(passphrase, params), params, isNew: true };
    },
    // The passphrase is not stored, so there is nothing to store or delete.
    store: async () => {},
    remove: async () => {},
  };
}

/**
 * Returns the passphrase in a private file, without the line end that editors add. Undefined when the file does not
 * exist.
 */
export function readPassphraseFile(file: string): Secret | undefined {
  const text = readPrivateFile(file)?.replace(/\r?\n$/, '');
  return text === undefined || text === '' ? undefined : new Secret(text);
}

async function keyOf(passphrase: Secret, { salt, n, r, p }: KeyParams): Promise<MasterKey> {
  // One text has several representations in Unicode, and keyboards differ in which they send.
  const password = Buffer.from(passphrase.reveal().normalize('NFKC'), 'utf8');
  // The memory that scrypt needs, plus a margin; Node's default limit is 32 MiB.
  const maxmem = 128 * r * (n + p + 16);
  const bytes = await derive(password, Buffer.from(salt, 'base64'), keyBytes, { N: n, r, p, maxmem });
  return masterKeyOf(bytes);
}
