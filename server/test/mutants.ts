import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';

/** A change of the source: in this file of the folder, this text, which occurs once, becomes the replacement. */
export type Mutation = readonly [file: string, text: string, replacement: string];

/** Loads a folder of the source with one change, from a copy beside the caches. */
export function createMutants(folder: string) {
  const original = path.join(repositoryRoot, folder);
  const copies = path.join(repositoryRoot, '.cache/mutants', folder.replaceAll('/', '-'));
  let count = 0;
  return {
    async load<T>([file, text, replacement]: Mutation, entry: string): Promise<T> {
      const copy = path.join(copies, String(count++));
      fs.mkdirSync(path.dirname(copy), { recursive: true });
      fs.cpSync(original, copy, { recursive: true, filter: (name) => !name.includes('.test.') });
      const source = fs.readFileSync(path.join(original, file), 'utf8');
      expect(source.split(text)).toHaveLength(2);
      fs.writeFileSync(
        path.join(copy, file),
        source.replace(text, () => replacement),
      );
      return (await import(path.join(copy, entry))) as T;
    },
    remove: () => fs.rmSync(copies, { recursive: true, force: true }),
  };
}
