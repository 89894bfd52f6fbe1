import { z } from 'zod';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { KeySourceName, RecoveryKitStatus, VaultStatus } from './contract.ts';
import { NewPassphrase } from './passphrase.ts';

const Passphrase = z.string().min(1).max(1_024);
const vault = z.strictObject({ vault: VaultStatus });

const recoveryKit = z.strictObject({ recoveryKit: RecoveryKitStatus });

const recoveryKitApi = defineApi({
  getRecoveryKit: {
    method: 'GET',
    path: '/vault/recovery-kit',
    summary: 'Whether a recovery kit was made, and whether it holds the key in use (local owner)',
    class: 'S',
    localOwner: true,
    replies: { 200: recoveryKit },
  },
  createRecoveryKit: {
    method: 'POST',
    path: '/vault/recovery-kit',
    summary: 'Encrypt the master key for a passphrase or an age recipient (local owner)',
    class: 'S',
    localOwner: true,
    idempotency: 'none',
    body: z
      .strictObject({
        passphrase: NewPassphrase.optional(),
        recipient: z.string().min(1).max(128).optional(),
      })
      .refine(({ passphrase, recipient }) => (passphrase === undefined) !== (recipient === undefined), {
        path: ['passphrase'],
      }),
    replies: { 201: recoveryKit.extend({ fileName: z.string(), text: z.string() }) },
  },
  dismissRecoveryKit: {
    method: 'POST',
    path: '/vault/recovery-kit/dismiss',
    summary: 'Stop offering a recovery kit (local owner)',
    class: 'S',
    localOwner: true,
    idempotency: 'none',
    replies: { 200: recoveryKit },
  },
});

export const keysApi = defineApi({
  ...recoveryKitApi,
  getRecoveryKitAsOperator: asOperator(recoveryKitApi.getRecoveryKit),
  createRecoveryKitAsOperator: asOperator(recoveryKitApi.createRecoveryKit),
  getVault: {
    method: 'GET',
    path: '/vault',
    summary: 'Where the key of the vault is kept (local owner)',
    class: 'S',
    localOwner: true,
    replies: { 200: vault },
  },
  rotateKeys: {
    method: 'POST',
    path: '/vault/rotations',
    summary: 'Create new data keys and re-encrypt everything with them (local owner)',
    class: 'S',
    localOwner: true,
    idempotency: 'none',
    replies: { 202: vault },
    errors: ['conflict'],
  },
  changeKey: {
    method: 'PUT',
    path: '/vault/key',
    summary: 'Make a new master key and keep it elsewhere, or in the same place (local owner)',
    class: 'S',
    localOwner: true,
    idempotency: 'none',
    body: z
      .strictObject({ source: KeySourceName, passphrase: Passphrase.optional() })
      .refine(({ source, passphrase }) => source === 'passphrase' || passphrase === undefined, {
        path: ['passphrase'],
      }),
    replies: { 200: vault },
    errors: ['conflict'],
  },
  getVaultAsOperator: {
    method: 'GET',
    base: '/internal/v1',
    path: '/vault',
    summary: 'Whether the vault is sealed, why, and where its key is kept (operator)',
    class: 'Op',
    whileSealed: true,
    replies: { 200: vault },
  },
  unsealVault: {
    method: 'POST',
    base: '/internal/v1',
    path: '/vault/unseal',
    summary: 'Open the vault: with a passphrase, or by asking the keychain or key file again (operator)',
    class: 'Op',
    idempotency: 'none',
    whileSealed: true,
    body: z.strictObject({ passphrase: Passphrase.optional() }),
    replies: { 200: z.strictObject({ sealed: z.boolean() }) },
    errors: ['invalid_credentials'],
  },
});
