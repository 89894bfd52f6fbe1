import { createHash } from 'node:crypto';
import { outputDeclarations, variableDeclarations } from './declarations.ts';
import { type Folders, reachable } from './exploration.ts';
import { findingsOf, levelOf, provisionerTypes } from './findings.ts';
import type { ModuleFolder } from './module-folder.ts';
import { programsOf } from './programs.ts';
import { ownProviderBlocks, providerPackages, rootProviderRequirements } from './providers.ts';
import type { SourceTree } from './source-tree.ts';
import type { ModuleReport, ScanRequest, UsedType } from './types.ts';

type ReportInput = { tree: SourceTree; folders: Folders; request: ScanRequest; filesDigest: () => string };

/** Builds the report of one candidate: its needs and declarations. Every module it calls must have been read. */
export function reportOn(root: ModuleFolder, { tree, folders, request, filesDigest }: ReportInput): ModuleReport {
  const { toolName } = request;
  const graph = reachable([root.path], folders);
  const packages = providerPackages(graph, toolName);
  const findings = findingsOf({ tree, request, graph, packages: packages.map(({ source }) => source) });
  const { configuration } = root;
  const declarations = variableDeclarations(configuration.variables);
  const programs = programsOf(graph, filesDigest);
  const blocks = graph.flatMap((folder) => [...folder.configuration.resources, ...folder.configuration.removed]);
  return {
    modulePath: root.path,
    level: levelOf(findings),
    findings,
    providerPackages: packages,
    rootProviderRequirements: rootProviderRequirements(root, toolName),
    resources: counted(graph.flatMap((folder) => folder.configuration.resources.map(typeOf))),
    dataSources: used(graph.flatMap((folder) => folder.configuration.dataSources.map(typeOf))),
    provisioners: used(blocks.flatMap(provisionerTypes)),
    rootModuleVariables: declarations.map(({ name }) => name),
    rootModuleVariableDeclarations: declarations,
    rootModuleOutputs: outputDeclarations(configuration.outputs),
    ownProviderBlocks: ownProviderBlocks(root, toolName),
    encryptionTargets: [...configuration.storage.remoteTargets],
    encryptionDefault: configuration.storage.remoteDefault,
    configurationDigest: digestOf(graph, root),
    ...(programs && { programs }),
  };
}

const typeOf = ({ labels }: { labels: readonly string[] }): string => labels[0] as string;

/** Counts the blocks of each type. Policies are applied elsewhere. */
function counted(types: readonly string[]): UsedType[] {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort().map(([type, count]) => ({ type, count, allowed: true }));
}

const used = (types: readonly string[]): UsedType[] =>
  [...new Set(types)].sort().map((type) => ({ type, allowed: true }));

/** Returns a digest over the sorted pairs of path and content digest, in a JSON form that RFC 8785 leaves unchanged. */
function digestOf(graph: readonly ModuleFolder[], { lock }: ModuleFolder): string {
  const files = [...graph.flatMap((folder) => folder.files), ...(lock ? [lock.file] : [])];
  const pairs = files
    .map(({ path, digest }) => [path, digest])
    .sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
  return `sha256:${createHash('sha256').update(JSON.stringify(pairs)).digest('hex')}`;
}
