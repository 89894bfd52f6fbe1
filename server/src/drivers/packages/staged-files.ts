import fs from 'node:fs';
import path from 'node:path';
import { limits } from '#shared/limits';
import { createEntryNames, type EntryNames } from './entry-names.ts';
import { refused, tooLarge } from './package-error.ts';
import type { LeftOutEntry, PackageLimits } from './package-types.ts';

export type StagedFile = { path: string; executable: boolean; size: number; file: string };
export type Entry = {
  name: string;
  executable: boolean;
  /** Size that the archive states; the bytes are counted as well. */
  size: number;
  leftOut?: LeftOutEntry['kind'] | undefined;
};

/** Files of an archive on their way: each is written under a number, so no name of the archive reaches the disk. */
export type Staging = {
  /** Checks an entry. Returns a function that writes its bytes, or undefined when the entry has none to write. */
  add: (entry: Entry) => ((bytes: AsyncIterable<Buffer>) => Promise<void>) | undefined;
  files: StagedFile[];
  leftOut: LeftOutEntry[];
};

export function createStaging(dir: string, most: PackageLimits): Staging {
  const names: EntryNames = createEntryNames();
  const files: StagedFile[] = [];
  const leftOut: LeftOutEntry[] = [];
  const seen = new Set<string>();
  let total = 0;

  const count = (bytes: number): void => {
    total += bytes;
    if (total > most.sizeBytes)
      throw tooLarge(`The files of the package are over ${most.sizeBytes >> 20} MiB together.`);
  };
  const write = async (file: StagedFile, bytes: AsyncIterable<Buffer>): Promise<void> => {
    const handle = await fs.promises.open(file.file, 'wx', 0o600);
    try {
      for await (const chunk of bytes) {
        file.size += chunk.length;
        count(chunk.length);
        checkSize(file.size);
        await handle.writeFile(chunk);
      }
    } finally {
      await handle.close();
    }
  };
  return {
    files,
    leftOut,
    add({ name, executable, size, leftOut: kind }) {
      const found = names.check(name);
      if (found === 'root' || name.endsWith('/')) return undefined;
      if ('leftOut' in found || kind) {
        leftOut.push('leftOut' in found ? found.leftOut : { path: found.path, kind: kind as LeftOutEntry['kind'] });
        return undefined;
      }
      if (seen.has(found.path)) throw refused('The archive is not used, because it holds one file twice.');
      seen.add(found.path);
      checkSize(size);
      if (files.length >= most.files) throw tooLarge(`The package has more than ${most.files} files.`);
      const file = { path: found.path, executable, size: 0, file: path.join(dir, String(files.length)) };
      files.push(file);
      return (bytes) => write(file, bytes);
    },
  };
}

function checkSize(size: number): void {
  if (size > limits.blobBytes) throw tooLarge(`The package has a file over ${limits.blobBytes >> 20} MiB.`);
}
