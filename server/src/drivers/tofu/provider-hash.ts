import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { openPlain } from '#server/kernel/open-plain';
import { TofuError } from './error.ts';

/**
 * Returns the `h1:` hash of an unpacked provider package, as lock files hold it: SHA-256, in base64, over one line per
 * file, `<hex SHA-256> <path>\n`, sorted by path (Go's dirhash Hash1). Throws `provider_package_refused` for anything
 * that is neither folder nor regular file, or a name that would break a line.
 */
export function hashPackage(folder: string): string {
  const lines = listFiles(folder).map((relative) => `${hashFile(path.join(folder, relative))}  ${relative}\n`);
  return `h1:${createHash('sha256').update(lines.join(''), 'utf8').digest('base64')}`;
}

/** Returns paths of the regular files below a folder, separated by `/`, in the order of their UTF-8 bytes. */
export function listFiles(folder: string): string[] {
  const files: string[] = [];
  const visit = (relative: string): void => {
    for (const entry of fs.readdirSync(path.join(folder, relative), { withFileTypes: true })) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (entry.isFile() && !name.includes('\n')) files.push(name);
      else
        throw new TofuError(
          'provider_package_refused',
          'A provider package holds something that is not a regular file, so it is not used.',
        );
    }
  };
  visit('');
  return files.sort((left, right) => Buffer.compare(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8')));
}

const pieceBytes = 4 << 20;

function hashFile(file: string): string {
  const hash = createHash('sha256');
  const fd = openPlain(file);
  try {
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (let count = fs.readSync(fd, piece); count > 0; count = fs.readSync(fd, piece))
      hash.update(piece.subarray(0, count));
  } finally {
    fs.closeSync(fd);
  }
  return hash.digest('hex');
}
