import fs from 'node:fs';
import path from 'node:path';
import { ArchiveError, blockBytes, decodeBlock, paddingAfter } from '../../drivers/archive/index.ts';
import { failed } from '../exit-codes.ts';
import { LineError } from '../line-error.ts';
import { writeNewFolder } from './new-folder.ts';

/** Folders without which Git recognizes no repository. */
const requiredFolders = ['objects', 'refs'];
/** Files that Git takes settings from, written here whatever the server sends. */
const ownFiles: Readonly<Record<string, string>> = {
  HEAD: 'ref: refs/heads/main\n',
  config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
};
/** Branch and objects. Anything else, such as a hook, could start programs when Git is used in the folder. */
const accepted = /^(?:refs\/heads\/main|objects\/[0-9a-f]{2}\/[0-9a-f]{38})$/;

/**
 * Writes the downloaded repository of a copy into a new folder, without the folder that is the root of the archive.
 * Returns the number of files. Throws `copy_incomplete` for an archive that is cut short or damaged.
 */
export const writeRepository = (dir: string, chunks: AsyncIterable<Uint8Array>): Promise<number> =>
  writeNewFolder(dir, async (folder) => {
    for (const name of requiredFolders) fs.mkdirSync(path.join(folder, name), { mode: 0o700 });
    for (const [name, text] of Object.entries(ownFiles))
      fs.writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    try {
      return await unpack(folder, new ByteReader(chunks));
    } catch (error) {
      if (error instanceof ArchiveError || error instanceof LineError) throw incomplete();
      throw error;
    }
  });

async function unpack(folder: string, bytes: ByteReader): Promise<number> {
  let count = 0;
  for (;;) {
    const block = decodeBlock(await bytes.read(blockBytes));
    if (block.kind === 'end') return count;
    // Only longer paths than those of a repository need another kind of block.
    if (block.kind === 'pax') throw incomplete();
    const name = nameIn(block.path);
    if (Object.hasOwn(ownFiles, name)) await bytes.read(Math.min(block.size, pieceBytes));
    else await writeFile(path.join(folder, name), bytes, block.size);
    await bytes.read(paddingAfter(block.size));
    count += 1;
  }
}

/** Returns the path of a file below the root of the archive. Throws for one that a copy does not have. */
function nameIn(archived: string): string {
  const name = archived.slice(archived.indexOf('/') + 1);
  if (archived.includes('/') && (accepted.test(name) || Object.hasOwn(ownFiles, name))) return name;
  throw incomplete();
}

const pieceBytes = 1_048_576;

async function writeFile(file: string, bytes: ByteReader, size: number): Promise<void> {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    for (let left = size; left > 0; left -= pieceBytes) fs.writeSync(fd, await bytes.read(Math.min(left, pieceBytes)));
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads exact numbers of bytes from chunks of any length. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async read(size: number): Promise<Buffer> {
    const pieces = [this.#rest];
    let length = this.#rest.length;
    while (length < size) {
      const { done, value } = await this.#chunks.next();
      if (done) throw incomplete();
      pieces.push(Buffer.from(value));
      length += value.length;
    }
    const all = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    this.#rest = all.subarray(size);
    return all.subarray(0, size);
  }
}

const incomplete = () => failed('copy_incomplete', 'The download broke off, so nothing was written. Try again.');
