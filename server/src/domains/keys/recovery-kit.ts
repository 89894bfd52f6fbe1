import {
  BackupError,
  type DecryptWith,
  decryptText,
  type EncryptFor,
  encryptText,
} from '#server/drivers/backup-archive/index';
import { type MasterKey, masterKeyOf } from '#server/drivers/vault/index';

/** Contents of a recovery kit. */
export type RecoveryKit = { installationId: string; key: MasterKey; createdAt: string };

/** Reason that a text is not a kit, or that its key cannot be used here. */
export class RecoveryKitError extends Error {}

const format = 'groundctl-recovery-kit';
const version = 1;
const armored = /-----BEGIN AGE ENCRYPTED FILE-----[^-]*-----END AGE ENCRYPTED FILE-----/;
const maxCharacters = 65_536;

/** Encrypts the master key of an installation, and says in plain words what the file is for. */
export async function writeRecoveryKit(kit: RecoveryKit, target: EncryptFor): Promise<string> {
  const { installationId, key, createdAt } = kit;
  const document = { format, version, installationId, createdAt, key: key.bytes.toString('base64') };
  return `${explanation(kit)}\n${(await encryptText(JSON.stringify(document), target)).trim()}\n`;
}

const explanation = ({ installationId, key, createdAt }: RecoveryKit): string =>
  `Ground Control recovery kit

This file holds the master key of one installation, encrypted for you. With the key and a copy of the
data folder, everything that is sealed there can be read. Without the key, no one can read it: not the
secrets, not the states.

Keep this file away from the machine, and its passphrase or age identity in another place than the file.
A kit is out of date as soon as the key is changed. Make a new one then.

Installation: ${installationId}
Key:          ${key.id}
Made:         ${createdAt}

To check it:  groundctl recovery-kit check FILE --data-dir DIR
To use it:    groundctl vault restore-key FILE --data-dir DIR   (with the server stopped)
`;

/**
 * Opens a kit. Throws `RecoveryKitError` for another text, a damaged kit, and a key that does not open it. The text around the encrypted part proves nothing, so it is not read.
 */
export async function openRecoveryKit(text: string, key: DecryptWith): Promise<RecoveryKit> {
  const block = text.length > maxCharacters ? undefined : armored.exec(text.replaceAll('\r\n', '\n'))?.[0];
  if (block === undefined) throw new RecoveryKitError('This file is not a recovery kit. Name the file of a kit.');
  const document = parse(await decryptText(block, key).catch(refuseText));
  if (document?.format !== format)
    throw new RecoveryKitError('This file is encrypted, but it is not a recovery kit. Name the file of a kit.');
  if (document.version !== version)
    throw new RecoveryKitError('This kit was made by a newer version. Use that version, or a newer one.');
  const { installationId, createdAt } = document;
  return { installationId, createdAt, key: masterKeyOf(Buffer.from(document.key, 'base64')) };
}

function refuseText(error: unknown): never {
  if (!(error instanceof BackupError)) throw error;
  throw new RecoveryKitError(
    error.code === 'backup_key_refused'
      ? 'This passphrase or identity does not open the kit. Use the one that the kit was made for.'
      : 'The kit is damaged. Use another copy of it.',
  );
}

type KitDocument = { format: string; version: number; installationId: string; createdAt: string; key: string };

function parse(text: string): KitDocument | undefined {
  try {
    return JSON.parse(text) as KitDocument;
  } catch {
    return undefined;
  }
}
