import { posix } from 'node:path';
import { isConfiguration, sortsAfterGenerated } from './file-names.ts';
import { type FolderProblem, type FolderReader, invalid, type ModuleFolder } from './module-folder.ts';
import type { SourceTree } from './source-tree.ts';
import type { ToolName } from './types.ts';

/** All folders read so far. */
export type Folders = Map<string, ModuleFolder>;

const exampleNames = new Set(['examples', 'example', 'tests', 'test']);

/** Returns the part of a path below a scope, or undefined when it lies elsewhere. */
export function below(scope: string, folder: string): string | undefined {
  if (scope === '.' || folder === scope) return folder === scope ? '.' : folder;
  return folder.startsWith(`${scope}/`) ? folder.slice(scope.length + 1) : undefined;
}

/** Returns the folders with at least one file that the tool loads, sorted. */
export const configurationFolders = (tree: SourceTree, toolName: ToolName): string[] =>
  [...tree.folders]
    .filter(([, names]) => names.some((name) => isConfiguration(name, toolName)))
    .map(([at]) => at)
    .sort();

/**
 * Returns the folders that a scope may offer: all with configuration except examples and tests, which are read only
 * when they are called. A scope inside an examples folder offers its contents, because the folder's name is not below
 * it.
 */
export const offered = (all: readonly string[], scope: string, named: ReadonlySet<string>): string[] =>
  all.filter((folder) => {
    const inner = below(scope, folder);
    return inner !== undefined && (named.has(folder) || !isExample(inner));
  });

/** Reports whether a folder, relative to the scope, is or lies in a folder of examples or tests. */
export const isExample = (inner: string): boolean => inner.split('/').some((part) => exampleNames.has(part));

/** Reads folders and everything they call into `folders`. */
export async function readReachable(start: readonly string[], read: FolderReader, folders: Folders): Promise<void> {
  const waiting = [...start];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (folders.has(at)) continue;
    const folder = await read(at);
    folders.set(at, folder);
    waiting.push(...folder.calls.map(({ target }) => target));
  }
}

/** Returns a folder and everything it calls, itself first, each once. */
export function reachable(start: readonly string[], folders: Folders): ModuleFolder[] {
  const order = new Set(start);
  for (const at of order) for (const call of folders.get(at)?.calls ?? []) order.add(call.target);
  return [...order].flatMap((at) => folders.get(at) ?? []);
}

export type Exploration = { candidates: string[]; problems: FolderProblem[] };

/**
 * Returns the modules that a scope offers and the problems that prevent it. Every folder they reach must have been
 * read.
 */
export function explore(
  roots: readonly string[],
  scope: string,
  named: ReadonlySet<string>,
  folders: Folders,
): Exploration {
  const called = new Set<string>();
  for (const root of roots) {
    for (const { target } of folders.get(root)?.calls ?? []) if (target !== root) called.add(target);
  }
  const candidates = roots.filter((root) => root === scope || named.has(root) || !called.has(root));
  const reached = reachable(roots, folders);
  const problems = reached.flatMap((folder) => [...folder.problems, ...leaving(folder, scope)]);
  return { candidates, problems: [...problems, ...circles(reached), ...unsortable(candidates, folders)] };
}

/** Returns calls that lead out of the scope: a Source with that path would not contain their target. */
const leaving = ({ calls }: ModuleFolder, scope: string): FolderProblem[] =>
  calls
    .filter(({ target }) => below(scope, target) === undefined)
    .map(({ file, name }) => invalid(file, `The module "${name}" lies outside ${scope}.`));

type CallingFolder = { path: string; calls: readonly { target: string }[] };

/** Returns one cycle of modules that call each other; the tool would follow it forever. */
export function circles(reached: readonly CallingFolder[]): FolderProblem[] {
  const open = new Map(reached.map((folder) => [folder.path, new Set(folder.calls.map(({ target }) => target))]));
  const callers = callersIn(reached);
  const waiting = [...open.keys()].filter((at) => open.get(at)?.size === 0);
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    open.delete(at);
    for (const caller of callers.get(at) ?? []) {
      const targets = open.get(caller);
      if (targets?.delete(at) && targets.size === 0) waiting.push(caller);
    }
  }
  const first = open.keys().next().value;
  if (first === undefined) return [];
  const walked = new Set<string>();
  let at = first;
  for (; !walked.has(at); at = open.get(at)?.values().next().value as string) walked.add(at);
  const circle = [...walked].slice([...walked].indexOf(at));
  const names = circle.join(', ');
  return [invalid(at, `The modules in ${names} call each other in a circle, which the tool refuses.`)];
}

function callersIn(folders: readonly CallingFolder[]): Map<string, string[]> {
  const callers = new Map<string, string[]>();
  for (const { path, calls } of folders) {
    for (const { target } of calls) {
      const known = callers.get(target);
      if (known) known.push(path);
      else callers.set(target, [path]);
    }
  }
  return callers;
}

/** Returns files that would sort after generated override files, which must come last: names beyond `z`. */
const unsortable = (candidates: readonly string[], folders: Folders): FolderProblem[] =>
  candidates.flatMap((candidate) =>
    (folders.get(candidate)?.files ?? [])
      .filter((file) => sortsAfterGenerated(posix.basename(file.path)))
      .map((file) =>
        invalid(file.path, 'The file name sorts after every generated file. It must start with a letter.'),
      ),
  );
