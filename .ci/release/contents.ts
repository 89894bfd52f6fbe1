// Prints the sizes of what a package contains, by folder, and fails when it contains what it must not:
// `node .ci/release/contents.ts FOLDER`. The folder has an application as electron-builder unpacked it.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Files by their path in the package, with `/`, and their bytes. */
export type Contents = ReadonlyMap<string, number>;

/** Files that a package must not contain: they are for a build, a debugger or another system. */
const needless: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/\.map$/, 'a source map'],
  [/\/app\/.*(?<!\.d)\.tsx?$/, 'a source file'],
  [/_snapshot\.json$/, 'a snapshot of the migrations, which only their generator reads'],
  [/\/\.(?:built|packages\.json)$/, 'a note of the build'],
  [/\/(?:\.env|\.npmrc|\.git)(?:\/|$)/, 'a setting of the checkout'],
];
const prebuilt = /prebuilds\/(?<system>darwin|linux|linuxmusl|win32)-(?<processor>\w+)[./]/;

/** Returns what is wrong with the contents of a package for a system and processor. */
export function contentProblems(contents: Contents, system: string, processor: string): string[] {
  return [...contents.keys()].flatMap((name) => {
    const groups = prebuilt.exec(name)?.groups;
    const isForeign = groups !== undefined && (groups['system'] !== system || groups['processor'] !== processor);
    const why = isForeign ? 'a binary of another system' : needless.find(([pattern]) => pattern.test(name))?.[1];
    return why === undefined ? [] : [`${name} is ${why}.`];
  });
}

/** Returns the bytes of each folder at a depth, the largest first. A file above that depth counts alone. */
export function sizesByFolder(contents: Contents, depth: number): [folder: string, bytes: number][] {
  const sizes = new Map<string, number>();
  for (const [name, bytes] of contents) {
    const folder = name.split('/').slice(0, depth).join('/');
    sizes.set(folder, (sizes.get(folder) ?? 0) + bytes);
  }
  return [...sizes].sort((left, right) => right[1] - left[1]);
}

/** Reads the files below a folder. */
export function readContents(folder: string): Contents {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map(({ parentPath, name }) => path.join(parentPath, name));
  return new Map(files.map((file) => [path.relative(folder, file).split(path.sep).join('/'), statSync(file).size]));
}

if (import.meta.main) {
  const output = process.argv[2] ?? 'dist/packages';
  const unpacked = readdirSync(output).filter((name) => /-unpacked$|^mac(?:-|$)/.test(name));
  if (unpacked.length !== 1)
    throw new Error('The folder must have one unpacked application. Build the packages first.');
  const contents = readContents(path.join(output, ...unpacked));
  for (const [folder, bytes] of sizesByFolder(contents, 5).slice(0, 25))
    process.stdout.write(`${(bytes / 1_048_576).toFixed(1).padStart(8)} MiB  ${folder}\n`);
  const problems = contentProblems(contents, process.platform, process.arch);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
