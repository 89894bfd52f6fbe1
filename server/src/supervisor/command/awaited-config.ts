import { closeSync, constants, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { removeTree } from '#server/kernel/remove-tree';
import { configFifoIn } from '../../runner/contract/layout.ts';

/**
 * The CLI configuration of a tool that stands ready. The tool reads it before anything else, as soon as its own code is
 * loaded, and what it finds there is a FIFO: it waits until it is given the text.
 */
export type AwaitedConfig = {
  /** Lets the tool go on, now or when it comes so far. */
  give(): void;
  /** Takes back whatever was laid out. */
  close(): void;
};

/** So much goes into a FIFO in one piece, whoever reads it and when (pipe(7)). */
const textMaxBytes = 4_096;

/** Whether a text can be given so. */
export const canBeAwaited = (text: string): boolean => Buffer.byteLength(text) <= textMaxBytes;

/**
 * Holds the FIFO in `folder` open, so that nobody who opens it waits before he reads. The tool opens it twice and reads
 * the second time, and a program of a module may open it at any time; so a file with the same text takes the name first,
 * and whoever has the FIFO by then is given the text there.
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
 * Whoever has found the FIFO under its name and has not opened it when the last writer goes would wait for another one for
 * ever, and the text would be gone. So the text is kept by a reader that never reads, and one comes to write and goes again
 * every now and then, which changes nothing for anybody else. Returns how to stop.
 */
function letLateIn(descriptor: number): () => void {
  const again = (known: number, flags: number): number =>
    openSync(`/proc/self/fd/${known}`, flags | constants.O_NONBLOCK);
  const idleReader = again(descriptor, constants.O_RDONLY);
  const pass = (): void => {
    try {
      closeSync(again(idleReader, constants.O_WRONLY));
    } catch {
      // Too many files are open just now.
    }
  };
  const timer = setInterval(pass, lateMs).unref();
  return () => {
    clearInterval(timer);
    closeSync(idleReader);
  };
}
