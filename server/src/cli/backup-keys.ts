import { isLongPassphrase, shortPassphrase } from '#shared/keys/passphrase';
import { type DecryptWith, type EncryptFor, isRecipient, readIdentities } from '../drivers/backup-archive/index.ts';
import { readPassphraseFile, readPrivateFile } from '../drivers/vault/index.ts';
import { failed, wrongUse } from './exit-codes.ts';
import type { OptionValues } from './options.ts';
import { readNewPassphrase, readPassphrase } from './read-passphrase.ts';

/** Returns the keys that a backup is encrypted for: those of the options, else a passphrase that is asked for. */
export async function encryptForOf(options: OptionValues): Promise<EncryptFor> {
  const { recipient: recipients, 'passphrase-file': file } = options;
  if (recipients !== undefined && file !== undefined)
    throw wrongUse('Name --recipient or --passphrase-file, not both.');
  if (recipients?.some((recipient) => !isRecipient(recipient)))
    throw wrongUse('A recipient is not valid. An age recipient begins with age1 and has 62 characters.');
  if (recipients !== undefined) return { recipients };
  const passphrase = file === undefined ? await readNewPassphrase() : passphraseIn(file);
  if (!isLongPassphrase(passphrase)) throw wrongUse(shortPassphrase);
  return { passphrase };
}

/** Returns the keys that open a backup. */
export async function decryptWithOf(options: OptionValues): Promise<DecryptWith> {
  const { 'identity-file': identityFile, 'passphrase-file': file } = options;
  if (identityFile !== undefined && file !== undefined)
    throw wrongUse('Name --identity-file or --passphrase-file, not both.');
  if (identityFile !== undefined) return { identities: identitiesIn(textOf(identityFile)) };
  return { passphrase: file === undefined ? await readPassphrase('Passphrase of the backup: ') : passphraseIn(file) };
}

function passphraseIn(file: string): string {
  const passphrase = explained(() => readPassphraseFile(file));
  if (passphrase === undefined) throw wrongUse(`The file ${file} does not exist or is empty.`);
  return passphrase.reveal();
}

function textOf(file: string): string {
  const text = explained(() => readPrivateFile(file));
  if (text === undefined) throw wrongUse(`The file ${file} does not exist.`);
  return text;
}

const identitiesIn = (text: string): string[] => explained(() => readIdentities(text));

function explained<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw failed('key_file_refused', error instanceof Error ? error.message : 'The file cannot be read.');
  }
}
