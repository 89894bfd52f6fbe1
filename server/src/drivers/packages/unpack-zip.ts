import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { openPromise, type Entry as ZipEntry } from 'yauzl';
import { decodeName } from './entry-names.ts';
import { refused } from './package-error.ts';
import type { Staging } from './staged-files.ts';

const unixHost = 3;
const fileType = 0o170000;
const symlink = 0o120000;
const regular = 0o100000;

/** Stages the files of a ZIP archive. The sizes that it states are enforced, and the checksums compared. */
export async function unpackZip(archive: string, staging: Staging): Promise<void> {
  const zip = await openPromise(archive, { autoClose: false, lazyEntries: true, decodeStrings: false });
  try {
    for await (const entry of zip.eachEntry()) {
      // Names are decoded here: the library takes names without the UTF-8 flag for an old code page, the tool does not.
      const name = decodeName(entry.fileNameRaw) ?? '\ufffd';
      const mode = entry.versionMadeBy >> 8 === unixHost ? entry.externalFileAttributes >>> 16 : 0;
      const write = staging.add({
        name,
        executable: (mode & 0o100) !== 0,
        size: entry.uncompressedSize,
        leftOut: kindOf(mode),
      });
      if (!write) continue;
      if (entry.isEncrypted()) throw refused('The archive is encrypted, so it is not used.');
      await write(checked(entry, await zip.openReadStreamPromise(entry)));
    }
  } finally {
    zip.close();
  }
}

function kindOf(mode: number): 'symlink' | 'special' | undefined {
  const type = mode & fileType;
  if (type === symlink) return 'symlink';
  return type === 0 || type === regular || type === 0o040000 ? undefined : 'special';
}

async function* checked(entry: ZipEntry, bytes: Readable): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw refused('The archive is damaged: the checksum of a file is wrong.');
}
