import { chmodSync } from 'node:fs';
import path from 'node:path';
import { removeTree } from '#server/kernel/remove-tree';
import { credentialFolders } from '../../os/memory-folder.ts';

/**
 * Removes the credential files of a Capsule after a command or a crash, whatever a module did to the folder. Returns
 * false when something could not be removed.
 */
export function removeCredentialFiles(capsuleDir: string): boolean {
  return credentialFolders(capsuleDir).every((folder) => {
    try {
      removeTree(folder);
      return true;
    } catch {
      return removeFromLocked(folder);
    }
  });
}

/** A module without a sandbox runs as the same user and may have locked the parent folder too. */
function removeFromLocked(folder: string): boolean {
  try {
    chmodSync(path.dirname(folder), 0o700);
    removeTree(folder);
    return true;
  } catch {
    return false;
  }
}
