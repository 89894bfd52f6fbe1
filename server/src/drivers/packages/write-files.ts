import fs from 'node:fs';
import { extractArchive, readArchive } from '#server/drivers/archive/index';
import { refused, tooLarge } from './package-error.ts';
import type { PackageLimits } from './package-types.ts';
import { expandSub } from './sub-folder.ts';

export type WriteRequest = {
  archive: string;
  digest: string;
  /** Folder that does not exist yet. */
  into: string;
  /** Called folder, or a pattern of it. */
  sub: string;
  /** Set for files from Git, where a pointer stands for a file elsewhere. */
  isGit: boolean;
  limits: PackageLimits;
};
export type WrittenFiles = { sub: string; fileCount: number };

const pointerStart = 'version https://git-lfs.github.com/spec/v1\n';
const pointerBytes = 1_024;

/** Writes the files of a stored package into a new folder, and finds the called one. Throws `PackageError`. */
export function writeFiles({ archive, digest, into, sub, isGit, limits }: WriteRequest): WrittenFiles {
  const paths: string[] = [];
  let sizeBytes = 0;
  for (const { path, bytes } of readArchive(archive, { digest })) {
    if (isGit && bytes.length <= pointerBytes && bytes.toString('latin1').startsWith(pointerStart)) {
      throw refused(`The file "${path}" of the module is stored with Git LFS, which is not supported.`);
    }
    sizeBytes += bytes.length;
    paths.push(path);
  }
  if (sizeBytes > limits.sizeBytes)
    throw tooLarge(`The files of the package are over ${limits.sizeBytes >> 20} MiB together.`);
  if (paths.length > limits.files) throw tooLarge(`The package has more than ${limits.files} files.`);
  const folder = expandSub(sub, paths);
  fs.mkdirSync(into, { mode: 0o700 });
  extractArchive({ path: archive, dir: into, digest });
  return { sub: folder, fileCount: paths.length };
}
