import { posix } from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import { configurationName, type ModuleFolder, type Parser } from '#server/drivers/scan/index';
import { limits } from '#shared/limits';
import { assertPaths, sortFiles } from './copied-files.ts';
import { type CopyGraph, type CopyPart, readCopyGraph } from './copy-graph.ts';
import { copyLockName, writeCopyLock } from './copy-lock.ts';
import { ModuleCallError } from './module-call-error.ts';
import { rewriteCalls } from './rewrite-calls.ts';
import type { AssembleRequest, LeftOutPath } from './types.ts';

export type CopiedFile = { path: string; executable: boolean; bytes: Buffer };

export type AssembledCopy = {
  /** Yields every file once; the archives are read as it goes. */
  files: () => Generator<CopiedFile, void, void>;
  /** Folder of each package by its key, of those that a call reaches. */
  packagePaths: ReadonlyMap<string, string>;
  leftOut: LeftOutPath[];
  /** Configuration files whose calls were rewritten, sorted. */
  rewritten: string[];
};

/**
 * Puts a repository and the packages that it calls into one tree without remote calls. Equal files and resolutions give
 * equal files, whatever their order. Throws `ModuleCallError` and the errors of the archives.
 */
export async function assemble(request: AssembleRequest, parse: Parser): Promise<AssembledCopy> {
  const graph = await readCopyGraph(request, parse);
  const rewritten = await rewriteAll(graph, parse);
  const sorted = graph.parts.map((part) => ({ part, ...sortFiles(part) }));
  const lockPath = posix.join(graph.packagesFolder, copyLockName);
  assertPaths([lockPath, ...sorted.flatMap(({ part, copied }) => copied.map((path) => posix.join(part.base, path)))]);
  const lock = writeCopyLock(request, graph);
  return {
    *files() {
      let bytes = 0;
      yield { path: lockPath, executable: false, bytes: lock };
      for (const { part, copied } of sorted) {
        for (const file of filesOf(part, new Set(copied))) {
          bytes += file.bytes.length;
          if (bytes > limits.archiveBytes) throw tooManyBytes();
          yield { ...file, bytes: rewritten.get(file.path) ?? file.bytes };
        }
      }
    },
    packagePaths: graph.packagePaths,
    leftOut: sorted.flatMap(({ part, leftOut }) => leftOut.map((entry) => ({ ...entry, ...packageOf(part, graph) }))),
    rewritten: [...rewritten.keys()].sort(),
  };
}

const tooManyBytes = (): ModuleCallError =>
  new ModuleCallError('tree_too_large', `The copy would be over ${limits.archiveBytes >> 20} MiB.`);

function* filesOf({ opened, base }: CopyPart, copied: ReadonlySet<string>): Generator<CopiedFile, void, void> {
  const { archivePath, archiveDigest: digest } = opened.files;
  const pathsOf = (file: string) =>
    [file, ...(opened.links.aliases.get(file) ?? [])].filter((path) => copied.has(path));
  for (const entry of readArchive(archivePath, { digest, filter: (file) => pathsOf(file).length > 0 })) {
    for (const path of pathsOf(entry.path)) yield { ...entry, path: posix.join(base, path) };
  }
}

/** Returns the rewritten configuration files by their path in the copy. */
async function rewriteAll({ parts, targetOf }: CopyGraph, parse: Parser): Promise<Map<string, Buffer>> {
  const rewritten = new Map<string, Buffer>();
  for (const { base, folders } of parts) {
    for (const folder of folders) {
      const at = posix.join(base, folder.path);
      const sources = new Map(folder.remoteCalls.map((call) => [call.name, relativeSource(at, targetOf(call))]));
      for (const [path, bytes] of await rewriteFolder(folder, sources, parse)) {
        rewritten.set(posix.join(base, path), bytes);
      }
    }
  }
  return rewritten;
}

async function rewriteFolder(folder: ModuleFolder, sources: ReadonlyMap<string, string>, parse: Parser) {
  const changed: [string, Buffer][] = [];
  if (sources.size === 0) return changed;
  for (const { path, bytes } of folder.files) {
    if (!bytes) continue;
    const json = configurationName(posix.basename(path))?.json === true;
    const result = await rewriteCalls({ path, bytes, json }, sources, parse);
    if (!result.equals(bytes)) changed.push([path, result]);
  }
  return changed;
}

function relativeSource(from: string, to: string): string {
  const relative = posix.relative(from, to);
  return relative.startsWith('../') ? relative : `./${relative}`;
}

function packageOf(part: CopyPart, { packagePaths }: CopyGraph): Pick<LeftOutPath, 'package'> {
  const [key] = [...packagePaths]
    .filter(([, path]) => path === part.base)
    .map(([name]) => name)
    .sort();
  return key === undefined ? {} : { package: key };
}
