import { createHash } from 'node:crypto';
import path from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import type { Declared } from './blocks.ts';
import type { Configuration } from './configuration.ts';
import { isConfiguration, lockFileName } from './file-names.ts';
import { isProgramSource, provisionerTypes } from './findings.ts';
import type { ModuleFolder } from './module-folder.ts';
import type { Programs, ScanRequest } from './types.ts';

/**
 * Returns the parts of a module that start programs of its choice; undefined when there are none. `filesDigest` is read
 * only when there are.
 */
export function programsOf(graph: readonly ModuleFolder[], filesDigest: () => string): Programs | undefined {
  const provisioned = graph.flatMap(({ configuration: { resources, removed } }) =>
    [...resources, ...removed].filter((block) => provisionerTypes(block).length > 0),
  );
  const sources = graph.flatMap(({ configuration }) => configuration.dataSources.filter(isProgramSource));
  if (provisioned.length === 0 && sources.length === 0) return undefined;
  return {
    provisioned: [...new Set(provisioned.map(nameOf))].sort(),
    blocksDigest: digestOf([...provisioned, ...sources].map(({ labels, body, file }) => [file, labels, body])),
    filesDigest: filesDigest(),
  };
}

/** A block that starts a program: a resource with a provisioner, or a data source of such a type. */
export type ProgramBlock = { file: string; block: string; program: string };

/** Returns the blocks of one folder that start programs; a resource once per provisioner. */
export const programBlocks = ({ resources, removed, dataSources }: Configuration): ProgramBlock[] => [
  ...[...resources, ...removed].flatMap((block) =>
    provisionerTypes(block).map((program) => ({ file: block.file, block: nameOf(block), program })),
  ),
  ...dataSources
    .filter(isProgramSource)
    .map((block) => ({ file: block.file, block: `data.${nameOf(block)}`, program: block.labels[0] as string })),
];

/** Returns `type.name`; a `removed` block has no labels. */
const nameOf = ({ labels }: Declared): string => (labels.length === 0 ? 'removed' : labels.join('.'));

/**
 * Returns a digest over path, mode and content of every non-configuration file of an archive. Throws the errors of the
 * archive.
 */
export function digestOfOtherFiles({ archivePath, toolName }: ScanRequest): string {
  const filter = (file: string) => {
    const name = path.posix.basename(file);
    return !isConfiguration(name, toolName) && name !== lockFileName;
  };
  const files: unknown[] = [];
  for (const entry of readArchive(archivePath, { filter }))
    files.push([entry.path, entry.executable, createHash('sha256').update(entry.bytes).digest('hex')]);
  return digestOf(files);
}

/** Returns a digest that depends on the order of files in an archive and of blocks in a file. */
const digestOf = (parts: readonly unknown[]): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
