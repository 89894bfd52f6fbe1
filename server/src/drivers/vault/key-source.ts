import type { SealReason } from '#shared/keys/contract';
import { keyBytes, type MasterKey, masterKeyOf, newKeyBytes } from './master-key.ts';

export type KeySourceKind = 'keychain' | 'file' | 'passphrase' | 'memory';

/** Parameters of scrypt (RFC 7914) that belong to one passphrase; the salt is base64. */
export type KeyParams = { salt: string; n: number; r: number; p: number };

/** Ledger record of a master key. */
type KeyEntry = { id: string; params: KeyParams | null };

/** A key is unavailable; the message states the reason and the remedy, and holds no key. */
export class KeySourceError extends Error {
  readonly reason: SealReason;
  constructor(reason: SealReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

type CreatedKey = {
  key: MasterKey;
  params: KeyParams | null;
  /** False for a key that already existed. */
  isNew: boolean;
};

/** Storage of master keys, of any kind. Every method throws `KeySourceError`. */
export type KeySource = {
  readonly kind: KeySourceKind;
  /** Location of the keys, for a person. */
  readonly keyLocation: string;
  /** Returns the key of this entry. */
  read(entry: KeyEntry): Promise<MasterKey>;
  /**
   * Creates a key that is stored durably before this resolves. With `reuse`, an existing one is used: its ledger row
   * may have been lost.
   */
  make(options: { reuse: boolean }): Promise<CreatedKey>;
  /** Stores an existing key durably; does nothing when it is stored already. */
  store(key: MasterKey): Promise<void>;
  /** Deletes a key; does nothing when it does not exist. */
  remove(keyId: string): Promise<void>;
};

/** Storage of one small text. */
type Drawer = {
  readonly kind: KeySourceKind;
  readonly keyLocation: string;
  read(): Promise<string | undefined>;
  /** Replaces the text atomically; undefined removes it. */
  write(text: string | undefined): Promise<void>;
  /** Runs work while no one else changes the text. */
  alone<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Creates a source of random keys that are stored in a drawer, one per line. There is more than one only while the key
 * is being changed.
 */
export function createStoredSource(drawer: Drawer): KeySource {
  const { kind, keyLocation } = drawer;
  const readKeys = async () => parseKeys(await drawer.read(), keyLocation);

  return {
    kind,
    keyLocation,
    async read({ id }) {
      const keys = await readKeys();
      const match = keys.find((key) => key.id === id);
      if (match) return match;
      if (keys.length === 0) throw missing(kind, keyLocation);
      throw new KeySourceError(
        'key_wrong',
        `The key in ${keyLocation} is not the one this data folder was sealed with. Put that one back.`,
      );
    },
    make: ({ reuse }) =>
      drawer.alone(async () => {
        const known = await readKeys();
        const there = known.at(-1);
        if (reuse && there) return { key: there, params: null, isNew: false };
        const key = masterKeyOf(newKeyBytes());
        await drawer.write(printKeys([...known, key]));
        const storedKeys = await readKeys();
        if (storedKeys.some(({ id }) => id === key.id)) return { key, params: null, isNew: true };
        throw notReturned(keyLocation);
      }),
    store: (key) =>
      drawer.alone(async () => {
        const known = await readKeys();
        if (known.some(({ id }) => id === key.id)) return;
        await drawer.write(printKeys([key, ...known]));
        if ((await readKeys()).some(({ id }) => id === key.id)) return;
        throw notReturned(keyLocation);
      }),
    remove: (keyId) =>
      drawer.alone(async () => {
        const known = await readKeys();
        const rest = known.filter(({ id }) => id !== keyId);
        if (rest.length < known.length) await drawer.write(rest.length === 0 ? undefined : printKeys(rest));
      }),
  };
}

const notReturned = (keyLocation: string): KeySourceError =>
  new KeySourceError('key_missing', `${keyLocation} accepted the key but does not return it. Choose another location.`);

function missing(kind: KeySourceKind, keyLocation: string): KeySourceError {
  const message =
    kind === 'file'
      ? `The key file ${keyLocation} is missing, and no other key opens the sealed values. Restore a copy of it.`
      : `The entry ${keyLocation} is gone, and what is sealed opens with no other key. Restore it from a backup.`;
  return new KeySourceError('key_missing', message);
}

const header =
  '# Master key of Ground Control. With it and the data folder, everything that is sealed there can be read.';
const printKeys = (keys: readonly MasterKey[]): string =>
  `${[header, ...keys.map(({ bytes }) => bytes.toString('base64'))].join('\n')}\n`;

/** Parses keys: one per line, base64 or hex of 32 bytes, as `openssl rand` prints them too. */
function parseKeys(text: string | undefined, keyLocation: string): MasterKey[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const bytes = Buffer.from(line, /^[0-9a-f]{64}$/i.test(line) ? 'hex' : 'base64');
      if (bytes.length === keyBytes) return masterKeyOf(bytes);
      throw new KeySourceError(
        'key_file_refused',
        `The key in ${keyLocation} is damaged: it is not 32 bytes in base64. Restore a copy of it.`,
      );
    });
}
