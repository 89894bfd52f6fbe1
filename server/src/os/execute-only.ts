import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { isImplemented } from '#server/kernel/platforms';

/*
 * A process whose program file may be executed and not read is closed to every other process of its user: ptrace(2),
 * `/proc/<pid>/mem`, `environ`, `fd`, `maps` and process_vm_readv(2) are refused (`would_dump` of execve(2)). A provider
 * shares the sandbox and the user of the tool that starts it, so the tool runs from such a copy there.
 */

const executeOnly = 0o111;
const elf = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const chunkBytes = 1 << 20;

/** Keeps one copy per content of a program in a private folder, and reuses it. */
export function createExecuteOnlyCopies(folder: string): (program: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return async (program) => {
    if (!isImplemented('sandbox')) return undefined;
    // Synchronous, because a Run waits: two calls of microseconds would take milliseconds in the thread pool.
    const { dev, ino, size, mtimeNs } = statSync(program, { bigint: true });
    const key = [program, dev, ino, size, mtimeNs].join(':');
    const copy = await known.get(key)?.catch(() => undefined);
    if (copy !== undefined && isWhole(copy, Number(size))) return copy;
    const pending = makeCopy(program, folder);
    known.set(key, pending);
    return pending;
  };
}

/** Returns the path of the copy; undefined for a script, which its interpreter has to read. */
async function makeCopy(program: string, folder: string): Promise<string | undefined> {
  makeFolder(folder);
  const temporary = path.join(folder, `.${randomUUID()}`);
  try {
    const written = await write(program, temporary);
    if (written === undefined) return undefined;
    const copy = path.join(folder, written.digest);
    if (!isWhole(copy, written.size)) await rename(temporary, copy);
    return copy;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function write(program: string, target: string): Promise<{ digest: string; size: number } | undefined> {
  const source = await open(program, 'r');
  try {
    const start = Buffer.alloc(elf.length);
    await source.read(start, 0, elf.length, 0);
    if (!start.equals(elf)) return undefined;
    const file = await open(target, 'wx', 0o600);
    try {
      return await copyBytes(source, file);
    } finally {
      await file.close();
    }
  } finally {
    await source.close();
  }
}

/** Copies all bytes, removes read permission from the program, and makes both durable. */
async function copyBytes(source: FileHandle, file: FileHandle): Promise<{ digest: string; size: number }> {
  const bytes = Buffer.alloc(chunkBytes);
  const hash = createHash('sha256');
  for (let size = 0; ; ) {
    const { bytesRead } = await source.read(bytes, 0, chunkBytes, size);
    if (bytesRead === 0) {
      await file.chmod(executeOnly);
      await file.sync();
      return { digest: hash.digest('hex'), size };
    }
    hash.update(bytes.subarray(0, bytesRead));
    await file.write(bytes, 0, bytesRead, size);
    size += bytesRead;
  }
}

function isWhole(copy: string, size: number): boolean {
  const file = statSync(copy, { throwIfNoEntry: false });
  return file?.isFile() === true && file.size === size && (file.mode & 0o777) === executeOnly;
}
