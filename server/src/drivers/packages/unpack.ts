import fs from 'node:fs';
import path from 'node:path';
import { writeArchive } from '#server/drivers/archive/index';
import type { ArchiveFormat } from './module-address.ts';
import { PackageError, refused } from './package-error.ts';
import type { LeftOutEntry, PackageLimits } from './package-types.ts';
import { createStaging, type StagedFile } from './staged-files.ts';
import { expandSub } from './sub-folder.ts';
import { unpackTarGz } from './unpack-tar.ts';
import { unpackZip } from './unpack-zip.ts';

export type UnpackRequest = {
  /** Downloaded file; its first bytes decide without `format`. */
  file: string;
  format?: ArchiveFormat | undefined;
  /** Folder that becomes the package. */
  root: string;
  /** Private folder that exists and is empty. */
  staging: string;
  /** Folder of the stored archives. */
  archives: string;
  limits: PackageLimits;
};
export type Unpacked = { digest: string; sizeBytes: number; fileCount: number; leftOut: LeftOutEntry[] };

/**
 * Stores the files of a downloaded archive as a sorted tar. Nothing is written under a name of the archive. Throws
 * `PackageError`, or the file system's error.
 */
export async function unpack(request: UnpackRequest): Promise<Unpacked> {
  const staging = createStaging(request.staging, request.limits);
  const format = request.format ?? sniff(request.file);
  try {
    if (format === 'zip') await unpackZip(request.file, staging);
    else await unpackTarGz(request.file, staging, request.limits.sizeBytes);
  } catch (error) {
    throw isOwn(error) ? error : refused('The archive is damaged, or not of the format that its address names.');
  }
  if (staging.files.length === 0) throw refused('The archive holds no files.');
  const root = expandSub(
    request.root,
    staging.files.map((file) => file.path),
  );
  const files = root === '.' ? staging.files : staging.files.flatMap((file) => below(root, file));
  const { digest, sizeBytes } = writeArchive({
    dir: request.archives,
    entries: files.map((file) => ({
      path: file.path,
      executable: file.executable,
      bytes: () => fs.readFileSync(file.file),
    })),
  });
  return { digest, sizeBytes, fileCount: files.length, leftOut: staging.leftOut };
}

const isOwn = (error: unknown): boolean =>
  error instanceof PackageError || (error as NodeJS.ErrnoException).syscall !== undefined;

const below = (root: string, file: StagedFile): StagedFile[] =>
  file.path.startsWith(`${root}/`) ? [{ ...file, path: path.posix.relative(root, file.path) }] : [];

/** Recognizes an archive by its first bytes, as the tool does when a registry delivers it. */
function sniff(file: string): ArchiveFormat {
  const head = Buffer.alloc(4);
  const descriptor = fs.openSync(file, 'r');
  try {
    fs.readSync(descriptor, head);
  } finally {
    fs.closeSync(descriptor);
  }
  if (head.toString('latin1', 0, 2) === 'PK') return 'zip';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'tar.gz';
  throw refused('What the module registry delivers is neither a zip nor a tar.gz archive.');
}
