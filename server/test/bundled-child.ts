import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { removeTree } from '../src/kernel/remove-tree.ts';
import { bundlePrograms } from './bundle.ts';

/**
 * Bundles a program of `server/test`, which the tests of a file start many times, before them. Returns a function that
 * returns the path of the bundle.
 */
export function bundleChild(name: string): () => string {
  let folder = '';
  beforeAll(async () => {
    const source = path.join(repositoryRoot, 'server/test', `${name}.ts`);
    folder = await bundlePrograms(`${name}-${process.pid}`, { [name]: source });
    // A bundle finds them beside itself, as in the product.
    symlinkSync(path.join(repositoryRoot, 'server/migrations'), path.join(folder, 'migrations'));
  });
  afterAll(() => removeTree(folder));
  return () => path.join(folder, `${name}.js`);
}
