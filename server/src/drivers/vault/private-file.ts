import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isImplemented } from '#server/kernel/platforms';
import { KeySourceError } from './key-source.ts';

const maxBytes = 65_536;

/**
 * Returns the text of a file that only this account may read; undefined when it does not exist. Links are followed,
 * because service managers pass secrets by links. Throws `key_file_refused` for a file that is open to others or
 * belongs to another account than ours or root.
 */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a FIFO in place of the file would block us forever.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refused(`The file ${file} cannot be read (${code}). Give this account the right to read it.`);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes)
      throw refused(`${file} is not a regular file, or is too large for a key or passphrase. Name the right file.`);
    if (isImplemented('fileModes')) requirePrivate(file, stat);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function requirePrivate(file: string, { mode, uid }: { mode: number; uid: number }): void {
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    throw refused(
      `Others on this machine can reach ${file} (mode ${shown}). Run chmod 600 ${file} to make it private.`,
    );
  }
  if (uid !== 0 && uid !== process.getuid?.())
    throw refused(
      `${file} belongs to another account than the one of this command. Run it as the user of the server, to whom the file must belong.`,
    );
}

const refused = (message: string): KeySourceError => new KeySourceError('key_file_refused', message);
