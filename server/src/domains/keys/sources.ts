import path from 'node:path';
import {
  createKeychainSource,
  createKeyFileSource,
  createPassphraseSource,
  type KeySource,
  type KeySourceKind,
  type RunChild,
  readPassphraseFile,
} from '#server/drivers/vault/index';
import type { Secret } from '#server/kernel/secret';
import type { Environment } from '#server/kernel/settings';

/** Returns the source of a kind; a typed passphrase overrides that in a file. */
export type KeySources = (kind: KeySourceKind, passphrase?: Secret) => KeySource;

type KeySourceLocations = {
  /** Id of the data folder: it identifies its key where several are stored together. */
  installationId: string;
  /** `GROUNDCTL_KEY_FILE`. */
  keyFile: string | undefined;
  /** `GROUNDCTL_PASSPHRASE_FILE`. */
  passphraseFile: string | undefined;
  env: Environment;
  home: string;
  keychain: { run: RunChild; nodePath: string; entry: string };
};

/** Outside the data folder, so that a copy of that folder alone opens nothing. */
const defaultKeyFile = ({ installationId, env, home }: Pick<KeySourceLocations, 'installationId' | 'env' | 'home'>) =>
  path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'groundctl', 'keys', `${installationId}.key`);

export function createKeySources(locations: KeySourceLocations): KeySources {
  const { installationId, keyFile, passphraseFile, env, keychain } = locations;
  const make: Readonly<Record<KeySourceKind, (passphrase?: Secret) => KeySource>> = {
    file: () => createKeyFileSource(keyFile ?? defaultKeyFile(locations)),
    passphrase: (typed) =>
      createPassphraseSource(() => typed ?? (passphraseFile ? readPassphraseFile(passphraseFile) : undefined)),
    keychain: () => createKeychainSource({ account: installationId, env, ...keychain }),
    memory: () => {
      throw new Error('A key in memory is for tests only.');
    },
  };
  return (kind, passphrase) => make[kind](passphrase);
}
