import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeRepository } from '../drivers/git/index.ts';
import { resourcePath } from '../kernel/entry.ts';

/** Writes a repository with the bundled sample module, unless the folder exists. */
export function writeSampleRepository(folder: string): void {
  const root = resourcePath('samples', 'hello');
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const files = new Map(names.map((file) => [path.relative(root, file).split(path.sep).join('/'), readFileSync(file)]));
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  writeRepository(folder, files, {
    message: 'A first module',
    author: 'Ground Control',
    email: 'sample@localhost',
    at: new Date('2026-01-01T00:00:00Z'),
  });
}

/** The sample of a server: a repository in its data folder, which every account may read. */
export function createSample(dataDir: string) {
  const folder = path.join(dataDir, 'samples', 'hello.git');
  const url = pathToFileURL(folder).href;
  return {
    url,
    create(): { url: string } {
      writeSampleRepository(folder);
      return { url };
    },
  };
}
