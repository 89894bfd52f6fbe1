import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';

/**
 * Replaces the program of an AppImage by a downloaded one, so that a kill or a power cut leaves the whole old program or
 * the whole new one. electron-updater itself removes the old program before it moves the new one to its path.
 */
export function replaceProgram(program: string, downloaded: string): void {
  const fresh = `${program}.new`;
  rmSync(fresh, { force: true });
  // The download may be on another file system, and a rename works only within one.
  copyFileSync(downloaded, fresh);
  const descriptor = openSync(fresh, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, program);
}
