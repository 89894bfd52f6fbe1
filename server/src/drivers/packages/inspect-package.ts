import { readArchive } from '#server/drivers/archive/index';
import { refused, tooLarge } from './package-error.ts';
import type { LeftOutEntry, PackageLimits } from './package-types.ts';
import { expandSub } from './sub-folder.ts';

export type InspectRequest = {
  archive: string;
  digest: string;
  leftOut: readonly LeftOutEntry[];
  /** Called folder, or a pattern of it. */
  sub: string;
  /** Set for files from Git, where a pointer stands for a file elsewhere. */
  isGit: boolean;
  limits: PackageLimits;
};
export type InspectedPackage = { sub: string; fileCount: number };

const pointerStart = 'version https://git-lfs.github.com/spec/v1\n';
const pointerBytes = 1_024;

/** Verifies a stored package against its digest and the limits, and finds the called folder. Throws `PackageError`. */
export function inspectPackage(request: InspectRequest): InspectedPackage {
  const { archive, digest, leftOut, sub, isGit, limits } = request;
  const paths: string[] = [];
  let sizeBytes = 0;
  for (const { path, bytes } of readArchive(archive, { digest })) {
    if (isGit && bytes.length <= pointerBytes && bytes.toString('latin1').startsWith(pointerStart)) {
      throw refused(`The file "${path}" of the module is stored with Git LFS, which is not supported.`);
    }
    sizeBytes += bytes.length;
    paths.push(path);
  }
  if (sizeBytes > limits.sizeBytes) {
    throw tooLarge(`The files of the package are over ${limits.sizeBytes >> 20} MiB together.`);
  }
  if (paths.length > limits.files) throw tooLarge(`The package has more than ${limits.files} files.`);
  const isLinked = leftOut.some(({ path, target }) => target !== undefined && `${sub}/`.startsWith(`${path}/`));
  return { sub: isLinked ? sub : expandSub(sub, paths), fileCount: paths.length };
}
