import { damaged } from './backup-error.ts';
import { createEncrypter, type DecryptWith, decryptStream, type EncryptFor, loadAge } from './encryption.ts';

/** Encrypts a short text for a person to keep, as an armored age file. */
export async function encryptText(text: string, target: EncryptFor): Promise<string> {
  const encrypter = await createEncrypter(target);
  const { armor } = await loadAge();
  return armor.encode(await encrypter.encrypt(text));
}

/**
 * Decrypts an armored age file. Throws `backup_key_refused` when the key does not open it, `backup_damaged` when it is
 * malformed.
 */
export async function decryptText(armored: string, key: DecryptWith): Promise<string> {
  const sealed = new Blob([await decoded(armored)]).stream();
  const plain = await decryptStream(sealed, key);
  return new Response(plain).text().catch((error: unknown) => {
    throw damaged(error);
  });
}

async function decoded(armored: string): Promise<Uint8Array<ArrayBuffer>> {
  const { armor } = await loadAge();
  try {
    return new Uint8Array(armor.decode(armored));
  } catch (error) {
    throw damaged(error);
  }
}
