import fs from 'node:fs';
import path from 'node:path';

/** What lies below a folder in which a server works: what it removes meanwhile is left out. */
export function* entriesBelow(folder: string): Generator<{ file: string; stat: fs.Stats }> {
  for (const name of ifThere(() => fs.readdirSync(folder)) ?? []) {
    const file = path.join(folder, name);
    const stat = ifThere(() => fs.lstatSync(file));
    if (stat === undefined) continue;
    yield { file, stat };
    if (stat.isDirectory()) yield* entriesBelow(file);
  }
}

/** The files below a folder in which one of the texts stands. */
export const filesHolding = (folder: string, ...texts: readonly (string | Buffer)[]): string[] =>
  [...entriesBelow(folder)].flatMap(({ file, stat }) => {
    const bytes = stat.isFile() ? ifThere(() => fs.readFileSync(file)) : undefined;
    return bytes !== undefined && texts.some((text) => bytes.includes(text)) ? [file] : [];
  });

export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
