import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const memory = '/dev/shm';
const prefix = 'groundctl-run-';
const leastBytes = 2 * 1024 ** 3;
const dayMs = 24 * 60 * 60_000;

/**
 * Makes a temporary folder in memory for tests that do not simulate a power cut, because a ledger waits for its disk at
 * each commit. Returns undefined where there is no such file system, too little room, or where no program may run.
 */
export function makeMemoryFolder(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = fs.statfsSync(memory);
    if (bavail * bsize < leastBytes) return undefined;
    removeOldFolders();
    folder = fs.mkdtempSync(path.join(memory, prefix));
    const program = path.join(folder, 'program');
    fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(program);
    fs.rmSync(program);
    return folder;
  } catch {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Removes folders of runs that were killed. */
function removeOldFolders(): void {
  for (const name of fs.readdirSync(memory).filter((entry) => entry.startsWith(prefix))) {
    const folder = path.join(memory, name);
    if (Date.now() - fs.statSync(folder).mtimeMs > dayMs) fs.rmSync(folder, { recursive: true, force: true });
  }
}
