import { readArchive } from '#server/drivers/archive/index';
import {
  createFolderReader,
  type FolderReader,
  type Parser,
  readSourceTree,
  type SourceTree,
  type ToolName,
} from '#server/drivers/scan/index';
import { type ResolvedLinks, resolveLinks } from './links.ts';
import { ModuleCallError } from './module-call-error.ts';
import type { PackageFiles } from './types.ts';

/** A package whose links are resolved and whose configuration is in memory. */
export type OpenPackage = {
  files: PackageFiles;
  toolName: ToolName;
  /** Every path of a file, those of links included. */
  paths: readonly string[];
  links: ResolvedLinks;
  tree: SourceTree;
  read: FolderReader;
};

/** Opens a package. Throws `ModuleCallError` when it is too large, and the errors of the archive. */
export function openPackage(files: PackageFiles, toolName: ToolName, parse: Parser): OpenPackage {
  const { archivePath, archiveDigest } = files;
  const stored = pathsOf(archivePath);
  const links = resolveLinks(stored, files.leftOut);
  const paths = stored.flatMap((file) => [file, ...(links.aliases.get(file) ?? [])]);
  const request = { archivePath, archiveDigest, scopePath: '.', toolName, leftOut: links.leftOut };
  const tree = readSourceTree(request, links.aliases);
  if (tree.exceeded) {
    throw new ModuleCallError('tree_too_large', 'The package holds more configuration than a scan reads.');
  }
  return { files, toolName, paths, links, tree, read: createFolderReader({ tree, toolName, parse }) };
}

function pathsOf(archivePath: string): string[] {
  const paths: string[] = [];
  const filter = (file: string): boolean => {
    paths.push(file);
    return false;
  };
  Array.from(readArchive(archivePath, { filter }));
  return paths;
}
