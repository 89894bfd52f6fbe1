import { posix } from 'node:path';
import { circles, type ModuleFolder, type Parser } from '#server/drivers/scan/index';
import { scanLimits } from '#shared/limits';
import { problemsOf, reachedFolders } from './explore.ts';
import { packagePaths, packagesFolder } from './layout.ts';
import { ModuleCallError } from './module-call-error.ts';
import { type OpenPackage, openPackage } from './open-package.ts';
import type { AssembleRequest, PackageFiles, Resolution } from './types.ts';

/** The repository or a package in a copy. `base` is its folder there, `.` for the repository. */
export type CopyPart = {
  opened: OpenPackage;
  base: string;
  isRoot: boolean;
  entries: Set<string>;
  folders: readonly ModuleFolder[];
};
type RemoteSource = { source: string; version?: string };
type DeclaredCall = ModuleFolder['remoteCalls'][number];

/** The parts of a copy, the repository first, and where the calls between them lead. */
export type CopyGraph = {
  parts: readonly CopyPart[];
  packagesFolder: string;
  /** Folder of each package by its key, of those that a call reaches. */
  packagePaths: ReadonlyMap<string, string>;
  /** Returns the folder of a called module in the copy. */
  targetOf: (call: RemoteSource) => string;
};

/**
 * Follows all calls from the chosen modules, through every package. Throws `ModuleCallError` for a call without a
 * resolution, for a module that the tool would refuse, and for modules that call each other in a circle.
 */
export async function readCopyGraph(request: AssembleRequest, parse: Parser): Promise<CopyGraph> {
  const open = createOpener(request, parse);
  const root = open(request.root, '.');
  const folder = packagesFolder(root.opened);
  const paths = packagePaths(request.packages, folder);
  const inputs = new Map(request.packages.map((input) => [input.key, input]));
  const find = resolver(request.resolutions);
  const parts = new Map<string, CopyPart>();
  const reachedKeys = new Set<string>();
  const partOf = (key: string): CopyPart => {
    const [input, base] = [inputs.get(key), paths.get(key)];
    if (!input || base === undefined) throw new Error('A resolution names a package that is not in the request.');
    reachedKeys.add(key);
    const part = parts.get(base) ?? open(input.files, base);
    parts.set(base, part);
    return part;
  };
  await followCalls(root, request.entries, (call) => {
    const { package: key, sub } = find(call);
    return { part: partOf(key), entry: sub };
  });
  const graph = {
    parts: [root, ...[...parts.values()].sort((left, right) => (left.base < right.base ? -1 : 1))],
    packagesFolder: folder,
    packagePaths: new Map([...paths].filter(([key]) => reachedKeys.has(key))),
    targetOf: (call: RemoteSource) => {
      const { package: key, sub } = find(call);
      return posix.join(paths.get(key) as string, sub);
    },
  };
  refuseProblems(graph);
  return graph;
}

/** Returns a function that opens parts, which together may hold as much configuration as a scan reads. */
function createOpener({ toolName }: AssembleRequest, parse: Parser): (files: PackageFiles, base: string) => CopyPart {
  let bytes = 0;
  return (files, base) => {
    const opened = openPackage(files, toolName, parse);
    for (const file of opened.tree.contents.values()) bytes += file.bytes?.length ?? 0;
    if (bytes > scanLimits.totalBytes) {
      throw new ModuleCallError('tree_too_large', 'The packages hold more configuration than a scan reads.');
    }
    return { opened, base, isRoot: base === '.', entries: new Set(), folders: [] };
  };
}

/** Reads the folders of each part that the chosen modules reach. */
async function followCalls(
  root: CopyPart,
  chosen: readonly string[],
  follow: (call: DeclaredCall) => { part: CopyPart; entry: string },
): Promise<void> {
  const waiting = chosen.map((entry) => ({ part: root, entry }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { part, entry } = next;
    if (part.entries.has(entry)) continue;
    part.entries.add(entry);
    part.folders = await reachedFolders(part.opened, [...part.entries].sort());
    for (const call of part.folders.flatMap(({ remoteCalls }) => remoteCalls)) waiting.push(follow(call));
  }
}

/** Returns the name of a source and a constraint, which one resolution has. */
const nameOf = ({ source, version }: RemoteSource): string => JSON.stringify([source, version ?? null]);

function resolver(resolutions: readonly Resolution[]): (call: RemoteSource & { name?: string }) => Resolution {
  const known = new Map(resolutions.map((resolution) => [nameOf(resolution), resolution]));
  return (call) => {
    const found = known.get(nameOf(call));
    if (found) return found;
    throw new ModuleCallError('call_not_resolved', `The module "${call.name}" was not resolved. Start the copy again.`);
  };
}

function refuseProblems({ parts, targetOf }: CopyGraph): void {
  for (const { opened, base, folders, entries, isRoot } of parts) {
    const [problem] = problemsOf(opened, folders, { entries: [...entries], isRoot });
    if (problem) throw new ModuleCallError('module_invalid', `${posix.join(base, problem.path)}: ${problem.message}`);
  }
  const calling = parts.flatMap(({ base, folders }) =>
    folders.map(({ path, calls, remoteCalls }) => ({
      path: posix.join(base, path),
      calls: [
        ...calls.map(({ target }) => ({ target: posix.join(base, target) })),
        ...remoteCalls.map((call) => ({ target: targetOf(call) })),
      ],
    })),
  );
  const [circle] = circles(calling);
  if (circle) throw new ModuleCallError('module_cycle', circle.message);
}
