/*
 * Makes the root file system of the image without Docker: `node .ci/release/image-root.ts FOLDER`, after
 * `node server/build.mjs`. Debian comes from the sources of this machine's apt, Node is the one that runs this script,
 * and everything else is the Dockerfile's: its RUN instruction is executed inside, its files are copied. It needs root
 * and mmdebstrap. The base is cached; it takes about a minute of a processor once.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readImageTarget } from './dockerfile.ts';
import { writeImageFiles } from './image-files.ts';

/** Cache of the tests (`.ci/prepare`). */
const cacheDir = path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'groundctl', 'image');

/** Sources of apt on this machine that are Debian's own, in the format of deb822. */
const debianSources = (): string[] =>
  globSync('/etc/apt/sources.list.d/*.sources').filter((file) =>
    readFileSync(file, 'utf8').includes('debian-archive-keyring'),
  );

/** Longest time for a base; a source of packages that hangs is given up. */
const baseMs = 400_000;

/** Returns why no base can be made on this machine, as a sentence; undefined when one can be made or is cached. */
export function imageRootProblem(): string | undefined {
  if (process.platform !== 'linux') return 'The image is for Linux, and this is another system.';
  if (process.getuid?.() !== 0) return 'A root file system can be made by root only.';
  if (existsSync(baseFolder())) return undefined;
  if (spawnSync('mmdebstrap', ['--version']).status !== 0)
    return 'mmdebstrap is missing: install it with apt-get install mmdebstrap.';
  return debianSources().length === 0 ? 'The apt of this machine has no source of Debian.' : undefined;
}

/** Folder of the cached base. Its name changes with the Dockerfile's instructions. */
function baseFolder(): string {
  const { from, run } = readImageTarget('server');
  const key = createHash('sha256')
    .update(JSON.stringify([from, run, process.version, process.arch]))
    .digest('hex');
  return path.join(cacheDir, key.slice(0, 16));
}

/** Returns the root of the image without the product, and makes it when the cache has none. */
function makeBase(): string {
  const base = baseFolder();
  if (existsSync(base)) return base;
  const { from, run } = readImageTarget('server');
  const release = /-(?<release>[a-z]+)(?:-slim)?$/.exec(from)?.groups?.['release'] ?? '';
  const made = `${base}.${process.pid}`;
  mkdirSync(cacheDir, { recursive: true, mode: 0o755 });
  // A folder that was interrupted is of no use: dpkg continues nothing.
  rmSync(made, { recursive: true, force: true });
  const inside = run.map((text) => `chroot "$1" /bin/sh -c '${text.replaceAll("'", "'\\''")}'`);
  const argv = ['--mode=root', '--variant=minbase', '--aptopt=APT::Sandbox::User "root"', '--dpkgopt=force-unsafe-io'];
  const hooks = inside.map((text) => `--customize-hook=${text}`);
  try {
    execFileSync('mmdebstrap', [...argv, ...hooks, release, made, ...debianSources()], {
      stdio: 'pipe',
      timeout: baseMs,
    });
    cpSync(process.execPath, path.join(made, 'usr/local/bin/node'));
    renameSync(made, base);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return base;
}

/** Writes the root of the image into a new folder: the base, and the product as the Dockerfile copies it. */
export function writeImageRoot(folder: string): void {
  const base = makeBase();
  // Links take no time and no space, and need the same file system. Nothing writes to the files of a root.
  const linked = spawnSync('cp', ['--archive', '--link', base, folder], { stdio: 'ignore' });
  if (linked.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('cp', ['--archive', base, folder]);
  }
  for (const { to } of readImageTarget('server').copies) writeImageFiles(path.join(folder, to));
}

if (import.meta.main) {
  const problem = imageRootProblem();
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Usage: node .ci/release/image-root.ts FOLDER');
  if (problem !== undefined) throw new Error(problem);
  writeImageRoot(path.resolve(folder));
}
