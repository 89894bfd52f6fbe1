import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';

/** Flag of Linux (open(2)) that Node does not define. */
const O_PATH = 0o10000000;

/**
 * Passes a socket that another program owns to `use`, as a path to connect to. The program may replace the name by a
 * link to another socket of the machine, so on Linux the checked file itself is used. Returns undefined when the file
 * is not a socket; throws the error of the file system when there is none.
 */
export async function atSocket<T>(file: string, use: (file: string) => Promise<T>): Promise<T | undefined> {
  if (process.platform !== 'linux') return lstatSync(file).isSocket() ? use(file) : undefined;
  const descriptor = openSync(file, O_PATH | constants.O_NOFOLLOW);
  try {
    return fstatSync(descriptor).isSocket() ? await use(`/proc/self/fd/${descriptor}`) : undefined;
  } finally {
    closeSync(descriptor);
  }
}
