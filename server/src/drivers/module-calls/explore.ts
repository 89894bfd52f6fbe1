import { posix } from 'node:path';
import {
  circles,
  configurationFolders,
  configurationName,
  forbiddenPart,
  isTemplate,
  lockFileName,
  type ModuleFolder,
  type Parser,
  programBlocks,
  reachable,
  readReachable,
} from '#server/drivers/scan/index';
import { type OpenPackage, openPackage } from './open-package.ts';
import { locateCalls } from './rewrite-calls.ts';
import type { ExploredPackage, ExploreRequest, ModuleProblem, RemoteCall } from './types.ts';

/**
 * Follows the calls inside one package from the given modules. Nothing is fetched or run. Throws `ModuleCallError` and
 * the errors of the archive.
 */
export async function explore(request: ExploreRequest, parse: Parser): Promise<ExploredPackage> {
  const opened = openPackage(request.files, request.toolName, parse);
  const folders = await reachedFolders(opened, request.entries);
  const remoteCalls: RemoteCall[] = [];
  for (const folder of folders) remoteCalls.push(...(await remoteCallsOf(folder, parse)));
  const license = licenseOf(opened);
  return {
    reached: folders.map(({ path }) => path),
    remoteCalls,
    problems: problemsOf(opened, folders, request),
    programs: folders.flatMap(({ configuration }) => programBlocks(configuration)),
    ...(license !== undefined && { license }),
  };
}

/** Returns the given folders and all that they call inside the package, sorted by path. */
export async function reachedFolders({ read }: OpenPackage, entries: readonly string[]): Promise<ModuleFolder[]> {
  const folders = new Map<string, ModuleFolder>();
  await readReachable(entries, read, folders);
  return reachable(entries, folders).sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Returns why a copy of these folders could not be used. Calls of modules elsewhere are no problem. */
export function problemsOf(
  { tree, toolName }: OpenPackage,
  folders: readonly ModuleFolder[],
  { entries, isRoot }: Pick<ExploreRequest, 'entries' | 'isRoot'>,
): ModuleProblem[] {
  const configured = new Set(configurationFolders(tree, toolName));
  const bare = entries.filter((entry) => !configured.has(entry));
  const forbidden = folders.filter(({ path }) => forbiddenPart(`${path}/x`) !== undefined);
  return [
    ...bare.map((path) => problem(path, 'The folder has no configuration files. Choose a folder with a module.')),
    ...forbidden.map(({ path }) => problem(path, 'The folder would change how the tool runs. Move the module.')),
    ...folders.flatMap(({ problems }) => problems.filter((found) => isLasting(found, isRoot))),
    ...folders.flatMap(computedVersions),
    ...circles(folders),
  ].map(({ path, code, message }) => ({ path, code, message }));
}

const problem = (path: string, message: string): ModuleProblem => ({ path, code: 'configuration_invalid', message });

/** Leaves out problems that a copy solves: calls of modules elsewhere, and lock files of packages. */
const isLasting = ({ path, code }: ModuleProblem, isRoot: boolean): boolean =>
  code !== 'remote_module_source' && (isRoot || posix.basename(path) !== lockFileName);

/** Returns the calls whose version is computed, so that no package can be chosen. */
const computedVersions = ({ remoteCalls }: ModuleFolder): ModuleProblem[] =>
  remoteCalls
    .filter(({ version }) => version !== undefined && isTemplate(version))
    .map(({ file, name }) => ({
      path: file,
      code: 'module_source_not_static',
      message: `The module "${name}" computes its version. It must be a plain constraint.`,
    }));

async function remoteCallsOf({ path: folder, files, remoteCalls }: ModuleFolder, parse: Parser): Promise<RemoteCall[]> {
  if (remoteCalls.length === 0) return [];
  const located = new Map<string, { file: string; line: number }>();
  for (const { path, bytes } of files) {
    if (!bytes) continue;
    const json = configurationName(posix.basename(path))?.json === true;
    for (const { name, line, source } of await locateCalls({ path, bytes, json }, parse)) {
      // The last file that sets the source decides.
      if (source) located.set(name, { file: path, line });
    }
  }
  return remoteCalls.map((call) => ({ folder, ...call, line: 1, ...located.get(call.name) }));
}

const licensePattern = /^(?:license|licence|copying)(?:[.-][a-z0-9.-]+)?$/i;

/** Returns the name of the license file at the top of a package. */
export const licenseOf = ({ tree }: OpenPackage): string | undefined =>
  (tree.folders.get('.') ?? []).filter((name) => licensePattern.test(name)).sort()[0];
