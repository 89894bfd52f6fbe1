import { hkdfSync } from 'node:crypto';
import { AppError } from '#server/kernel/errors';
import { Secret } from '#server/kernel/secret';
import type { SealReason } from '#shared/keys/contract';
import { createDataKeyCache, type DataKeyCache, type KeyRegistry } from './data-key-cache.ts';
import { interimCapsuleKey, interimInstallationKey, interimSealKey } from './interim-key.ts';
import { KeySourceError } from './key-source.ts';
import { keyBytes, type MasterKey, newKeyBytes, unwrapKey, type WrappedKey, wrapKey } from './master-key.ts';
import { closeRecord, openRecord } from './record.ts';
import { headOf, layouts, openBytes, type SealContext, sealBytes } from './seal.ts';

/** Context of values that the installation seals for itself and that no Workspace owns. */
const installationScope = 'installation';
/** Scope of the key of the first versions, kept sealed as long as something needs it. */
export const interimScope = 'interim';
/** Version under which plans and Run folders of the interim key are recorded. */
export const interimVersion = 1;

/**
 * Purposes of installation keys that never leave the process. They are independent secrets, so that they outlive every
 * change of the keys above them.
 */
const installationPurposes = [
  'audit',
  'cursors',
  'receipts',
  'install-plan-digest',
  'install-config-digest',
  'configuration-plan-digest',
] as const;

/**
 * Seals values that must not be stored in cleartext, and derives the keys that leave this process. While it is sealed
 * every method throws 503 `vault_sealed`.
 */
export type Vault = {
  /** Reason that the vault is sealed; undefined while it is open. */
  readonly sealedBy: KeySourceError | undefined;
  /** Seals with the newest key of the context's Workspace; an empty `workspaceId` is the installation's. */
  seal(context: SealContext, plain: Uint8Array): Buffer;
  /** Opens a sealed value; throws for bytes that were changed or belong to another context. */
  open(context: SealContext, sealed: Buffer): Buffer;
  /** Seals a secret that may have to be erased: see `closeRecord`. Some 8 KiB larger than the secret. */
  sealSecret(context: SealContext, secret: Secret): Buffer;
  openSecret(context: SealContext, sealed: Buffer): Secret;
  /** Returns the version of the newest data key of a Workspace; values sealed for a Run record it. */
  keyVersion(workspaceId: string): number;
  /** Returns 32 bytes for one Capsule: the tool seals plan and state with it, and code in its sandbox could read it. */
  capsuleKey(capsule: { workspaceId: string; capsuleId: string }, version: number): Buffer;
  /** Returns a key of the installation for one purpose, hex; it never leaves the process. */
  installationKey(purpose: string): string;
};

/** Vault interface for the domain that manages its keys. */
export type KeyRing = Vault & {
  /** Opens the vault with a master key that is known to be the right one. */
  unlock(master: MasterKey): void;
  /** Seals the vault again, or sets the reason that it is sealed. */
  lock(why: KeySourceError): void;
  /** Returns the master key, for a recovery kit. */
  masterKey(): MasterKey;
  /** Adds the next version of a scope's data key and returns it. Runs in the caller's transaction. */
  renew(scope: string): number;
  /** Wraps the same data key under another master key. */
  rewrap(row: WrappedKey, to: MasterKey): WrappedKey;
  /** Stores an external key as a data key. Runs in the caller's transaction. */
  adopt(name: { scope: string; version: number }, bytes: Buffer): void;
  /**
   * Keeps the keys of the installation at the values that the interim key gave them. Runs in the caller's transaction.
   */
  carryOver(interimKey: Buffer): void;
  /** Opens each of these with the master key. Throws when one does not. */
  verify(rows: readonly WrappedKey[]): void;
  /** Reports whether these bytes are sealed with the newest key of their context. */
  isNewest(context: SealContext, sealed: Buffer): boolean;
  /** Evicts the keys of a scope, or one version of it, once the transaction has committed. */
  evict(scope: string, version?: number): void;
};

const notOpenYet = new KeySourceError('key_missing', 'The vault has not been opened yet.');
const secretContext = (purpose: string): SealContext => ({
  table: 'installation_secrets',
  row: purpose,
  column: 'sealed',
  workspaceId: '',
});
export const scopeOf = (workspaceId: string): string => (workspaceId === '' ? installationScope : workspaceId);
const derive = (key: Buffer, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), info, keyBytes));

export function createVault(registry: KeyRegistry): KeyRing {
  let master: MasterKey | undefined;
  let sealedBy: KeySourceError | undefined = notOpenYet;
  const requireMaster = (): MasterKey => {
    if (master) return master;
    throw sealedError(sealedBy ?? notOpenYet);
  };
  const dataKeys = createDataKeyCache(registry, requireMaster);
  const sealer = createSealer(dataKeys);
  const installation = createInstallationKeys(registry, sealer);
  return {
    get sealedBy() {
      return sealedBy;
    },
    ...sealer,
    sealSecret: (context, secret) => sealer.seal(context, closeRecord(context, secret.revealBytes())),
    openSecret: (context, sealed) => new Secret(openRecord(context, sealer.open(context, sealed))),
    keyVersion: (workspaceId) => dataKeys.newest(scopeOf(workspaceId)).version,
    capsuleKey: ({ workspaceId, capsuleId }, version) =>
      version === interimVersion
        ? interimCapsuleKey(dataKeys.get(interimScope, interimVersion), capsuleId)
        : derive(dataKeys.get(scopeOf(workspaceId), version), `capsule:${capsuleId}`),
    installationKey(purpose) {
      requireMaster();
      return installation.get(purpose);
    },
    unlock(key) {
      master = key;
      sealedBy = undefined;
    },
    lock(why) {
      master = undefined;
      sealedBy = why;
      dataKeys.clear();
      installation.clear();
    },
    masterKey: requireMaster,
    renew: dataKeys.renew,
    rewrap: (row, to) => wrapKey(row, unwrapKey(row, requireMaster()), to),
    adopt: (name, bytes) => void dataKeys.add(name, bytes),
    carryOver: installation.carryOver,
    verify(rows) {
      for (const row of rows) unwrapKey(row, requireMaster());
    },
    evict: dataKeys.evict,
  };
}

type Sealer = Pick<KeyRing, 'seal' | 'open' | 'isNewest'>;

function createSealer(dataKeys: DataKeyCache): Sealer {
  return {
    seal(context, plain) {
      const { version, bytes } = dataKeys.newest(scopeOf(context.workspaceId));
      const head = { layout: layouts.envelope, keyVersion: version };
      return sealBytes(derive(bytes, 'seal'), head, { context, plain });
    },
    open(context, sealed) {
      const { layout, keyVersion } = headOf(sealed);
      const key =
        layout === layouts.interim
          ? interimSealKey(dataKeys.get(interimScope, keyVersion))
          : derive(dataKeys.get(scopeOf(context.workspaceId), keyVersion), 'seal');
      return openBytes(key, { context, sealed });
    },
    isNewest(context, sealed) {
      const { layout, keyVersion } = headOf(sealed);
      return layout === layouts.envelope && keyVersion === dataKeys.newest(scopeOf(context.workspaceId)).version;
    },
  };
}

function createInstallationKeys(registry: KeyRegistry, { seal, open }: Sealer) {
  const known = new Map<string, string>();
  const read = (purpose: string): Buffer | undefined => {
    const sealed = registry.findSecret(purpose);
    return sealed && open(secretContext(purpose), sealed);
  };
  const keep = (purpose: string, bytes: Buffer): Buffer => {
    registry.insertSecret(purpose, seal(secretContext(purpose), bytes));
    return bytes;
  };
  return {
    get(purpose: string): string {
      const there = known.get(purpose);
      if (there) return there;
      const key = read(purpose) ?? registry.write(() => read(purpose) ?? keep(purpose, newKeyBytes()));
      const text = key.toString('hex');
      registry.afterCommit(() => known.set(purpose, text));
      return text;
    },
    carryOver(interimKey: Buffer): void {
      for (const purpose of installationPurposes) keep(purpose, interimInstallationKey(interimKey, purpose));
    },
    clear: (): void => known.clear(),
  };
}

/** Creates the error for callers while the vault is sealed. */
export function sealedError({ reason }: { reason: SealReason }): AppError {
  return new AppError('vault_sealed', publicMessages[reason], { details: { reason } });
}

/** Messages without a path or a name of this machine: every client of the server may read them. */
const publicMessages: Readonly<Record<SealReason, string>> = {
  key_missing: 'The vault is sealed: its key is missing. Restore the key, then unseal the vault.',
  key_wrong:
    'The vault is sealed: the key that is there is not its own. Put the right one back, then unseal the vault.',
  key_file_refused: 'The vault is sealed: its key file cannot be used. Repair it, then unseal the vault.',
  keychain_locked: 'The vault is sealed: the keychain is locked. Unlock it, then unseal the vault.',
  keychain_unavailable: 'The vault is sealed: no keychain answers. Start it, then unseal the vault.',
  passphrase_required: 'The vault is sealed: it waits for its passphrase.',
  passphrase_wrong: 'The vault is sealed: the passphrase was not the right one. Type it again.',
};
