import { chmodSync, lstatSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error.ts';

const groupAndOthers = 0o077;
const writableByOthers = 0o022;

/**
 * Requires a data folder and token file that other users cannot change, because a writer controls what this server runs
 * and who may sign in. The folder must belong to the account of the server (or root) and be writable by no other user;
 * the token must be a file that only this account reads. A folder that others can only read becomes mode 0700. Throws
 * `StartError`. No effect on Windows, where a user's folders are private.
 */
export function guardDataFolder(dataDir: string): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (folder === undefined) return;
  if (!folder.isDirectory()) throw new StartError(`The data folder ${dataDir} is not a folder. Choose another path.`);
  refuseStrangers(folder, { uid, what: `The data folder ${dataDir}`, remedy: `chmod 700 '${dataDir}'` });
  if (folder.uid === uid && (folder.mode & groupAndOthers) !== 0) chmodSync(dataDir, 0o700);
  guardToken(path.join(dataDir, 'operator-token'), uid);
}

function guardToken(file: string, uid: number): void {
  const token = lstatSync(file, { throwIfNoEntry: false });
  if (token === undefined) return;
  const what = `The token file ${file}`;
  if (!token.isFile())
    throw new StartError(`${what} is not a regular file. Remove it; the next start creates a new one.`);
  refuseStrangers(token, { uid, what, remedy: `rm '${file}'` });
  if ((token.mode & groupAndOthers) !== 0)
    throw new StartError(`${what} can be read by other users. Remove it; the next start creates a new one.`);
}

function refuseStrangers({ uid: owner, mode }: Stats, about: { uid: number; what: string; remedy: string }): void {
  const { uid, what, remedy } = about;
  // Root can write everywhere.
  if (owner !== uid && owner !== 0)
    throw new StartError(`${what} belongs to another user (uid ${owner}). Choose a data folder of your own.`);
  if ((mode & writableByOthers) !== 0)
    throw new StartError(
      `Other users may write to it, so it cannot be trusted: ${what.replace(/^The /, 'the ')}. Check what is in it, then run: ${remedy}`,
    );
}
