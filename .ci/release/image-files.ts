// Writes `/opt/groundctl` of the image: `node .ci/release/image-files.ts FOLDER`, after `node server/build.mjs`.
// The Dockerfile calls it.
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { externals } from '../../server/build-externals.ts';
import { repositoryRoot } from '../../server/src/kernel/entry.ts';
import { writeNpmPackage } from './npm-package.ts';

type Manifest = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };

/** Used by a compiler only, when a package is installed without its prebuilt binary. */
const forCompilers = new Set(['node-addon-api', 'node-gyp-build']);
const modules = path.join(repositoryRoot, 'node_modules');

/** Returns the names of packages and of all that they depend on, as far as npm has installed them here. */
function closureOf(names: readonly string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    const manifest = path.join(modules, name, 'package.json');
    if (seen.has(name) || forCompilers.has(name) || !existsSync(manifest)) continue;
    seen.add(name);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
    closureOf(Object.keys({ ...dependencies, ...optionalDependencies }), seen);
  }
  return seen;
}

/** Files of packages that nothing reads at run time: sources, types, debug builds and binaries of other systems. */
const needless = [
  'better-sqlite3/{deps,src,binding.gyp}',
  'better-sqlite3/prebuilds/!(linux-*)',
  `better-sqlite3/prebuilds/!(linux-${process.arch}.node)`,
  'web-tree-sitter/{debug,*.map,*.cjs,*.d.ts,*.d.cts,*.map}',
  '@cdktn/hcl2json/{wasm,eslint.config.mjs}',
];

/** Writes the product and the packages that it imports at run time. The keychain is not among them: an image has none. */
export function writeImageFiles(folder: string): void {
  writeNpmPackage(folder);
  const target = path.join(folder, 'node_modules');
  for (const name of closureOf(externals))
    cpSync(path.join(modules, name), path.join(target, name), { recursive: true, dereference: true });
  for (const name of globSync(needless, { cwd: target })) rmSync(path.join(target, name), { recursive: true });
}

if (import.meta.main) writeImageFiles(path.resolve(process.argv[2] ?? path.join(repositoryRoot, 'dist/image')));
