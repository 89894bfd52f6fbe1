import { posix } from 'node:path';
import { isConfiguration, sortsAfterGenerated } from './file-names.ts';
import { type FolderProblem, type FolderReader, invalid, type ModuleFolder } from './module-folder.ts';
import type { SourceTree } from './source-tree.ts';
import type { ToolName } from './types.ts';

/** Everything read so far, by folder. */
export type Folders = Map<string, ModuleFolder>;

const exampleNames = new Set(['examples', 'example', 'tests', 'test']);

/** The part of a path below a scope, or undefined when it lies elsewhere. */
export function below(scope: string, folder: string): string | undefined {
  if (scope === '.' || folder === scope) return folder === scope ? '.' : folder;
  return folder.startsWith(`${scope}/`) ? folder.slice(scope.length + 1) : undefined;
}

/** Folders that hold at least one file the tool loads, sorted. */
export const configurationFolders = (tree: SourceTree, toolName: ToolName): string[] =>
  [...tree.folders]
    .filter(([, names]) => names.some((name) => isConfiguration(name, toolName)))
    .map(([at]) => at)
    .sort();

/**
 * The folders a scope may offer: all with configuration but examples and tests, which are only read when something
 * calls them. A scope inside an examples folder offers what it holds, because the folder's name is not below it.
 */
export const offered = (all: readonly string[], scope: string, named: ReadonlySet<string>): string[] =>
  all.filter((folder) => {
    const inner = below(scope, folder);
    return inner !== undefined && (named.has(folder) || !isExample(inner));
  });

/** Whether a folder, named from the scope, is one of examples or tests or lies in one. */
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

/** A folder and everything it calls, itself first, each once. */
export function reachable(start: readonly string[], folders: Folders): ModuleFolder[] {
  const order = new Set(start);
  for (const at of order) for (const call of folders.get(at)?.calls ?? []) order.add(call.target);
  return [...order].flatMap((at) => folders.get(at) ?? []);
}

export type Exploration = { candidates: string[]; problems: FolderProblem[] };

/** The modules a scope offers and what stands in their way. Every folder they reach must have been read. */
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

/** Calls that lead out of the scope: a Source with that path would not hold their target. */
const leaving = ({ calls }: ModuleFolder, scope: string): FolderProblem[] =>
  calls
    .filter(({ target }) => below(scope, target) === undefined)
    .map(({ file, name }) => invalid(file, `The module "${name}" lies outside ${scope}.`));

/** Names one circle of modules that call each other; the tool would follow it for ever. */
function circles(reached: readonly ModuleFolder[]): FolderProblem[] {
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

function callersIn(folders: readonly ModuleFolder[]): Map<string, string[]> {
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

/** Generated override files must come last, which a file name beyond `z` would prevent. */
const unsortable = (candidates: readonly string[], folders: Folders): FolderProblem[] =>
  candidates.flatMap((candidate) =>
    (folders.get(candidate)?.files ?? [])
      .filter((file) => sortsAfterGenerated(posix.basename(file.path)))
      .map((file) =>
        invalid(file.path, 'The file name sorts after every generated file. It must start with a letter.'),
      ),
  );
