export type { KeyRegistry } from './data-key-cache.ts';
export { interimInstallationKey, interimKeyFile, readInterimKey } from './interim-key.ts';
export { createKeyFileSource } from './key-file.ts';
export { type KeySource, KeySourceError, type KeySourceKind } from './key-source.ts';
export { createKeychainEntry, createKeychainSource, type KeychainEntry, type RunChild } from './keychain.ts';
export {
  type MasterKey,
  masterKeyOf,
  newKeyBytes,
  opensCanary,
  sealCanary,
  type WrappedKey,
} from './master-key.ts';
export { createMemorySource } from './memory-source.ts';
export { createPassphraseSource, readPassphraseFile } from './passphrase.ts';
export { readPrivateFile } from './private-file.ts';
export type { SealContext } from './seal.ts';
export { createVault, interimScope, interimVersion, type KeyRing, scopeOf, sealedError, type Vault } from './vault.ts';
