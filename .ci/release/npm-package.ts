// Writes the npm package of the headless server: `node .ci/release/npm-package.ts [FOLDER]`, after `npm run build`.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { externals, optionalExternals } from '../../server/build-externals.ts';
import { repositoryRoot } from '../../server/src/kernel/entry.ts';

/** Members that the package has in common with the checkout. */
const commonMembers = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'exports'];

type RootManifest = Record<string, unknown> & {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

/** Files and folders of the package. npm adds `package.json`. */
export const packedPaths = [
  'LICENSE',
  'README.md',
  'dist/client',
  'dist/renderer',
  'dist/server',
  'dist/third-party',
  'resources/go',
  'resources/headless',
  'resources/litestream',
  'resources/runner',
  'resources/samples',
  'resources/tofu',
];

/** True for files that only a checkout needs: source maps, and the notes of the build. */
export const isLeftOut = (name: string): boolean => /\.map$|(?:^|\/)\.(?:built|packages\.json)$/.test(name);

/**
 * Returns the manifest of the package. Everything else is inside the bundles, so the packages that they import at run
 * time are its only dependencies; npm installs the native parts for the system and processor it runs on. It has no
 * scripts.
 */
export function packageManifest(root: RootManifest): Record<string, unknown> {
  const only = (names: readonly string[], all: Record<string, unknown>) =>
    Object.fromEntries(names.map((member) => [member, all[member]]));
  return {
    ...only(commonMembers, root),
    files: packedPaths,
    dependencies: only(externals, root.dependencies),
    optionalDependencies: only(optionalExternals, root.optionalDependencies),
  };
}

/** Writes the package into a folder, which is replaced. */
export function writeNpmPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const root = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as RootManifest;
  for (const name of packedPaths)
    cpSync(path.join(repositoryRoot, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !isLeftOut(source),
    });
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(packageManifest(root), null, 2)}\n`);
}

if (import.meta.main) {
  const folder = path.resolve(process.argv[2] ?? path.join(repositoryRoot, 'dist/npm'));
  writeNpmPackage(folder);
  process.stdout.write(`${folder}\n`);
}
