import { randomUUID } from 'node:crypto';
import { constants, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { removeTree } from '#server/kernel/remove-tree';
import { RunnerError } from '../../os/runner-error.ts';
import { runTool } from '../../os/spawn.ts';

/** Creates FIFOs that only this user may open. */
export async function makeFifos(files: readonly string[]): Promise<void> {
  for (const file of files) rmSync(file, { force: true });
  const result = await runTool({
    file: 'mkfifo',
    argv: ['-m', '600', ...files],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
  });
  if (result.code !== 0)
    throw new RunnerError('program_failed', 'FIFOs could not be made in the folder of the Run; check its file system.');
}

/** FIFOs that were created before their names are known. */
export type PreallocatedFifos = {
  /** Renames them to `files`; creates new ones when they cannot be moved there. */
  take(files: readonly string[]): Promise<void>;
  drop(): Promise<void>;
};

export const fifoSuffix = '.fifo';

/** Starts to create `count` FIFOs in a folder, so that a Run need not wait for the program that creates them. */
export function prepareFifos(folder: string, count: number): PreallocatedFifos {
  const preallocated = Array.from({ length: count }, () => path.join(folder, `${randomUUID()}${fifoSuffix}`));
  const creation = makeFifos(preallocated).then(
    () => true,
    () => false,
  );
  const drop = async (): Promise<void> => {
    await creation;
    for (const fifo of preallocated) rmSync(fifo, { force: true });
  };
  return {
    async take(files) {
      try {
        if (!(await creation)) return await makeFifos(files);
        for (const [index, file] of files.entries()) renameSync(preallocated[index] as string, file);
      } catch {
        await drop();
        await makeFifos(files);
      }
    },
    drop,
  };
}

export type FifoSource = { close(): Promise<void> };

/** Number of readers that are served before more FIFOs are needed; a command reads its key up to five times. */
const preallocatedCount = 8;

/**
 * Serves a text under a path to every reader that opens it, without writing it to a disk. Each reader gets its own
 * FIFO: as soon as one has opened the path, a fresh FIFO takes the name, so no reader receives the text twice or the
 * end of another reader's text.
 */
export async function serveFifo(file: string, content: string): Promise<FifoSource> {
  const folder = `${file}.spare`;
  removeTree(folder);
  mkdirSync(folder, { mode: 0o700 });
  const bytes = Buffer.from(content, 'utf8');
  let preallocated = await preallocateFifos(folder);
  renameSync(preallocated.pop() as string, file);
  let isClosed = false;
  const serve = async (): Promise<void> => {
    for (;;) {
      // Waits in a thread of the pool until a reader opens it.
      const handle = await open(file, constants.O_WRONLY);
      if (isClosed) return handle.close();
      if (preallocated.length === 0) preallocated = await preallocateFifos(folder);
      renameSync(preallocated.pop() as string, file);
      // A reader that closes early does not affect the next one.
      await handle.writeFile(bytes).catch(() => {});
      await handle.close();
    }
  };
  const serving = serve();
  return {
    async close() {
      isClosed = true;
      // Without a reader, the thread that waits to write would keep this process from exiting.
      const reader = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
      await serving;
      await reader.close();
      rmSync(file, { force: true });
      removeTree(folder);
    },
  };
}

async function preallocateFifos(folder: string): Promise<string[]> {
  const files = Array.from({ length: preallocatedCount }, (_, index) => path.join(folder, String(index)));
  await makeFifos(files);
  return files;
}
