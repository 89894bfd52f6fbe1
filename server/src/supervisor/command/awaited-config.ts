import { closeSync, constants, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { removeTree } from '#server/kernel/remove-tree';
import { configFifoIn } from '../../runner/contract/layout.ts';

/**
 * CLI configuration of a prewarmed tool. The tool reads it first, as soon as its code is loaded. It is a FIFO, so the
 * tool waits until the text is given.
 */
export type AwaitedConfig = {
  /** Lets the tool continue, now or when it opens the FIFO. */
  give(): void;
  /** Removes all files. */
  close(): void;
};

/** Bytes that a FIFO always takes in one write (pipe(7)). */
const textMaxBytes = 4_096;

/** Reports whether a text is short enough. */
export const canBeAwaited = (text: string): boolean => Buffer.byteLength(text) <= textMaxBytes;

/**
 * Holds the FIFO in `folder` open, so that a process that opens it blocks only when it reads. The tool opens it twice
 * and reads the second time, and a program of a module may open it at any time. So a file with the same text first
 * replaces the name, and processes that already have the FIFO open get the text there.
 */
export function writeAwaitedConfig(folder: string, text: string): AwaitedConfig {
  const fifo = configFifoIn(folder);
  const file = `${fifo}.file`;
  writeFileSync(file, text, { mode: 0o600 });
  const descriptor = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  let open: (() => void) | undefined = () => closeSync(descriptor);
  const close = (): void => {
    const closing = open;
    open = undefined;
    closing?.();
  };
  return {
    give() {
      renameSync(file, fifo);
      writeSync(descriptor, text);
      const stop = letLateIn(descriptor);
      close();
      open = stop;
    },
    close() {
      close();
      removeTree(folder);
    },
  };
}

const lateMs = 100;

/**
 * Serves late readers: a process that has looked up the FIFO and not opened it when the last writer closes would wait
 * forever, and the text would be lost. So a reader that never reads keeps the text in the FIFO, and a writer opens it
 * at intervals, which does not affect other readers. Returns the function that stops it.
 */
function letLateIn(descriptor: number): () => void {
  const again = (known: number, flags: number): number =>
    openSync(`/proc/self/fd/${known}`, flags | constants.O_NONBLOCK);
  const idleReader = again(descriptor, constants.O_RDONLY);
  const pass = (): void => {
    try {
      closeSync(again(idleReader, constants.O_WRONLY));
    } catch {
      // Too many open files at the moment.
    }
  };
  const timer = setInterval(pass, lateMs).unref();
  return () => {
    clearInterval(timer);
    closeSync(idleReader);
  };
}
