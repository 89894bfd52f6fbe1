import { cpSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { grammarFile, repositoryRoot } from '#server/kernel/entry';
import { externals } from '../build-externals.ts';

/**
 * Bundles programs of the sources, given by the names of their bundles, into `.cache/<folder>`, which is returned. The
 * folder is two levels below the checkout, as that of the product, so that the bundles find the shipped files.
 */
export async function bundlePrograms(
  folder: string,
  entryPoints: { [name: string]: string },
  options: BuildOptions = {},
): Promise<string> {
  const outdir = path.join(repositoryRoot, '.cache', folder);
  await build({
    entryPoints,
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
    // The issuer's library stores records under the names of its classes.
    keepNames: true,
    alias: {
      'isomorphic-git': path.join(repositoryRoot, 'node_modules/isomorphic-git/index.js'),
      'jsonc-parser': path.join(repositoryRoot, 'node_modules/jsonc-parser/lib/esm/main.js'),
    },
    external: externals,
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
    ...options,
  });
  cpSync(grammarFile(), path.join(outdir, path.basename(grammarFile())));
  return outdir;
}
