import { type ArchiveInput, writeArchive } from '#server/drivers/archive/index';
import {
  type AssembleRequest,
  assemble,
  type LeftOutEntry,
  type PackageFiles,
  type PackageInput,
} from '#server/drivers/module-calls/index';
import { createParser } from '../src/drivers/scan/index.ts';
import type { Files } from './scan-fixture.ts';

export const parse = createParser();

/** Writes files to an archive of a folder; a name in `executable` is one. */
export function packageFiles(
  dir: string,
  files: Files,
  { leftOut = [], executable = [] }: { leftOut?: readonly LeftOutEntry[]; executable?: readonly string[] } = {},
): PackageFiles {
  const entries: ArchiveInput[] = Object.entries(files).map(([path, content]) => ({
    path,
    executable: executable.includes(path),
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
  }));
  const archive = writeArchive({ dir, entries });
  return { archivePath: archive.path, archiveDigest: archive.digest, leftOut };
}

/** Returns a module block. */
export const callOf = (name: string, source: string, version?: string): string =>
  `module "${name}" {\n  source = "${source}"\n${version === undefined ? '' : `  version = "${version}"\n`}}\n`;

/** Returns a symbolic link as a Git sync reports it. */
export const linkTo = (path: string, target: string): LeftOutEntry => ({ path, kind: 'symlink', target });

/** Returns a package whose key, address and version are the same text. */
export const packageInput = (name: string, version: string, files: PackageFiles): PackageInput => ({
  key: `${name} ${version}`,
  name,
  version,
  url: `https://modules.example.test/${name}/${version}.zip`,
  files,
});

/** Assembles a copy and returns its files as texts by path, and the paths of executable ones. */
export async function assembleFiles(request: Omit<AssembleRequest, 'toolName'>) {
  const copy = await assemble({ toolName: 'tofu', ...request }, parse);
  const copied = [...copy.files()];
  const files = Object.fromEntries(copied.map(({ path, bytes }) => [path, bytes.toString()]));
  const executable = copied.filter((file) => file.executable).map(({ path }) => path);
  return { ...copy, files, executable: executable.sort() };
}
