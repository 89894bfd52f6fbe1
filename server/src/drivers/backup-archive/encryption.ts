import type { Decrypter, Encrypter } from 'age-encryption';
import { BackupError, damaged } from './backup-error.ts';
import { passphraseIdentity, passphraseRecipient } from './passphrase.ts';

/** Loads the library with the first backup: its curves take 3 MiB. */
export const loadAge = () => import('age-encryption');

/** Keys that a backup is encrypted for: age recipients (`age1…`), or a passphrase. */
export type EncryptFor = { recipients: readonly string[] } | { passphrase: string };
/** Keys that open a backup: age identities (`AGE-SECRET-KEY-1…`), or the passphrase. */
export type DecryptWith = { identities: readonly string[] } | { passphrase: string };

/** An age key pair; `recipient` is its public half. */
export type BackupKeyPair = { identity: string; recipient: string };

export async function createBackupKeyPair(): Promise<BackupKeyPair> {
  const { generateX25519Identity, identityToRecipient } = await loadAge();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

const recipientPattern = /^age1[02-9ac-hj-np-z]{58}$/;
/** Reports whether a text has the form of an age recipient that a backup can be encrypted for. */
export const isRecipient = (text: string): boolean => recipientPattern.test(text);
const identityPattern = /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/;

/** Rejects with `backup_recipient_invalid` for a malformed recipient or an empty passphrase. */
export async function createEncrypter(target: EncryptFor): Promise<Encrypter> {
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  if ('passphrase' in target) {
    if (target.passphrase === '') throw recipientInvalid('The passphrase is empty. Choose several words.');
    encrypter.addRecipient(passphraseRecipient(target.passphrase));
    return encrypter;
  }
  if (target.recipients.length === 0) throw recipientInvalid('No recipient. Name at least one age recipient.');
  for (const recipient of target.recipients) addRecipient(encrypter, recipient);
  return encrypter;
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    if (!isRecipient(recipient)) throw new Error('not an X25519 recipient');
    encrypter.addRecipient(recipient);
  } catch (error) {
    const message = 'A recipient is not valid. An age recipient begins with age1 and has 62 characters.';
    throw recipientInvalid(message, error);
  }
}

const recipientInvalid = (message: string, cause?: unknown) =>
  new BackupError('backup_recipient_invalid', message, { cause });

/** Decrypts a stream. Throws `backup_key_refused` when the key does not open it, `backup_damaged` when it is malformed. */
export async function decryptStream(
  sealed: ReadableStream<Uint8Array>,
  key: DecryptWith,
): Promise<ReadableStream<Uint8Array>> {
  const decrypter = await createDecrypter(key);
  try {
    return await decrypter.decrypt(sealed);
  } catch (error) {
    // The library has no error codes.
    const isOtherKey = error instanceof Error && error.message.startsWith('no identity matched');
    throw isOtherKey ? keyRefused(error) : damaged(error);
  }
}

async function createDecrypter(key: DecryptWith): Promise<Decrypter> {
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  if ('passphrase' in key) {
    decrypter.addIdentity(passphraseIdentity(key.passphrase));
    return decrypter;
  }
  for (const identity of key.identities) addIdentity(decrypter, identity);
  return decrypter;
}

function addIdentity(decrypter: Decrypter, identity: string): void {
  try {
    if (!identityPattern.test(identity)) throw new Error('not an X25519 identity');
    decrypter.addIdentity(identity);
  } catch (error) {
    throw keyRefused(error);
  }
}

const keyRefused = (cause: unknown) =>
  new BackupError(
    'backup_key_refused',
    'This key or passphrase does not open the backup. Use the one that the backup was encrypted for.',
    { cause },
  );

/** Returns the identities in the text of an age identity file. Throws `backup_key_refused` when there is none. */
export function readIdentities(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length > 0 && identities.every((line) => identityPattern.test(line))) return identities;
  throw new BackupError(
    'backup_key_refused',
    'The identity file has no age identity, or another line. An identity begins with AGE-SECRET-KEY-1.',
  );
}
