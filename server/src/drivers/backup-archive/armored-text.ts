import { armor } from 'age-encryption';
import { damaged } from './backup-error.ts';
import { createEncrypter, type DecryptWith, decryptStream, type EncryptFor } from './encryption.ts';

/** Encrypts a short text for a person to keep, as an armored age file. */
export const encryptText = async (text: string, target: EncryptFor): Promise<string> =>
  armor.encode(await createEncrypter(target).encrypt(text));

/**
 * Decrypts an armored age file. Throws `backup_key_refused` when the key does not open it, `backup_damaged` when it is
 * malformed.
 */
export async function decryptText(armored: string, key: DecryptWith): Promise<string> {
  const sealed = new Blob([decoded(armored)]).stream();
  const plain = await decryptStream(sealed, key);
  return new Response(plain).text().catch((error: unknown) => {
    throw damaged(error);
  });
}

function decoded(armored: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(armor.decode(armored));
  } catch (error) {
    throw damaged(error);
  }
}
