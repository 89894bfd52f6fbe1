import fs from 'node:fs';
import path from 'node:path';

/** Lists the files below a folder in which a server works, except files that it removes at the same time. */
export function* entriesBelow(folder: string): Generator<{ file: string; stat: fs.Stats }> {
  for (const name of ifThere(() => fs.readdirSync(folder)) ?? []) {
    const file = path.join(folder, name);
    const stat = ifThere(() => fs.lstatSync(file));
    if (stat === undefined) continue;
    yield { file, stat };
    if (stat.isDirectory()) yield* entriesBelow(file);
  }
}

/** Returns the files below a folder that contain one of the texts. */
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
