import { createHash } from 'node:crypto';
import { Encrypter } from 'age-encryption';

/** One entry of a forged tar. `header` changes its header block after it was written, before the checksum. */
export type TarEntry = {
  path: string;
  bytes: Buffer;
  /** Type flag; `0` is a regular file. */
  type?: string;
  mode?: string;
  /** Size in the header, when it is not that of the bytes. */
  size?: number;
  linkName?: string;
  /** Changes the complete header block. */
  damage?: (block: Buffer) => void;
  padding?: Buffer;
};

const block = 512;
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Writes a ustar header by hand, so that a test can lie in every field. */
function headerOf({ path, bytes, type = '0', mode = '0000644', size = bytes.length, linkName = '', damage }: TarEntry) {
  const header = Buffer.alloc(block);
  header.write(path, 0, 100, 'utf8');
  header.write(`${mode}\0`, 100, 'latin1');
  header.write('0000000\x000000000\0', 108, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('00000000000\0        ', 136, 'latin1');
  header.write(type, 156, 'latin1');
  header.write(linkName, 157, 100, 'utf8');
  header.write('ustar\x0000', 257, 'latin1');
  header.write('0000000\x000000000\0', 329, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148, 'latin1');
  damage?.(header);
  return header;
}

export const endOfTar = Buffer.alloc(2 * block);

/** Returns the bytes of a tar. */
export const tarOf = (entries: readonly TarEntry[], end: Buffer = endOfTar): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry) => [
      headerOf(entry),
      entry.bytes,
      entry.padding ?? Buffer.alloc((block - (entry.bytes.length % block)) % block),
    ]),
    end,
  ]);

/** Returns the member list of a manifest that is true of these entries. */
export const membersOf = (entries: readonly TarEntry[]) =>
  entries.map(({ path, bytes }) => ({ path, sizeBytes: bytes.length, digest: digestOf(bytes) }));

export type AnyManifest = Record<string, unknown>;
export const manifestOf = (entries: readonly TarEntry[], more: AnyManifest = {}): AnyManifest => ({
  format: 'groundctl-backup',
  version: 1,
  kind: 'installation',
  installationId: 'inst1',
  ledgerSequence: 1,
  createdAt: '2026-11-26T07:00:00.000Z',
  members: membersOf(entries),
  ...more,
});

export const manifestEntry = (manifest: unknown): TarEntry => ({
  path: 'manifest.json',
  bytes: Buffer.from(typeof manifest === 'string' ? manifest : JSON.stringify(manifest)),
});

/** Encrypts bytes as the author of a forged backup can: a recipient is public. */
export async function encryptTar(plain: Buffer, recipient: string): Promise<Buffer> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return Buffer.from(await encrypter.encrypt(plain));
}
