import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { limits } from '#shared/limits';
import { tooLarge } from './package-error.ts';
import type { LeftOutEntry } from './package-types.ts';
import type { Staging } from './staged-files.ts';

const blockBytes = 512;

/** Stages the regular files of a gzipped tar. What it inflates to is bounded, with the headers and what is left out. */
export async function unpackTarGz(archive: string, staging: Staging, sizeBytes: number): Promise<void> {
  const entries = extract();
  const inflating = pipeline(
    createReadStream(archive),
    createGunzip(),
    limited(sizeBytes + 4 * blockBytes * limits.treeEntries),
    entries,
  );
  // Its failure also ends the loop, which reports the first of the two.
  inflating.catch(() => undefined);
  for await (const entry of entries) {
    const { name, mode = 0, size = 0, type } = entry.header;
    const isFolder = type === 'directory';
    const write = staging.add({
      name: isFolder ? `${name}/` : name.replace(/\/+$/, ''),
      executable: (mode & 0o100) !== 0,
      size,
      leftOut: isFolder ? undefined : kindOf(type),
    });
    if (write) await write(entry as unknown as AsyncIterable<Buffer>);
    else entry.resume();
  }
  await inflating;
}

function kindOf(type: Header['type']): LeftOutEntry['kind'] | undefined {
  if (type === 'file' || type === 'contiguous-file') return undefined;
  if (type === 'symlink') return 'symlink';
  return type === 'link' ? 'hard_link' : 'special';
}

function limited(most: number): Transform {
  let total = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > most) done(tooLarge(`The archive unpacks to more than ${most >> 20} MiB.`));
      else done(null, chunk);
    },
  });
}
