import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot } from '#server/kernel/entry';
import { entries } from '../src/kernel/entry.ts';

/**
 * Bundles the workers and children of the sources once for all tests of a run. Otherwise each start would strip the
 * types of some hundred files, which takes several times as long as its work. The folder is two levels below the
 * checkout, as that of the product, so that the bundles find the shipped files.
 */
export async function setup(): Promise<() => void> {
  const outdir = path.join(repositoryRoot, '.cache', `children-${process.pid}`);
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, path.join(repositoryRoot, 'server/src', file)]),
    ),
    outdir,
    absWorkingDir: repositoryRoot,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    splitting: true,
    chunkNames: 'chunk-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    alias: {
      'isomorphic-git': path.join(repositoryRoot, 'node_modules/isomorphic-git/index.js'),
      'jsonc-parser': path.join(repositoryRoot, 'node_modules/jsonc-parser/lib/esm/main.js'),
    },
    external: ['better-sqlite3', '@cdktn/hcl2json', '@node-rs/argon2', 'web-tree-sitter'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  process.env['GROUNDCTL_TEST_CHILDREN'] = outdir;
  return () => fs.rmSync(outdir, { recursive: true, force: true });
}
