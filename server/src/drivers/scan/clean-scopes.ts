import { posix } from 'node:path';
import { scanLimits } from '#shared/limits';
import { below, explore, type Folders, offered, reachable } from './exploration.ts';
import { providerPackages, rootProviderRequirements } from './providers.ts';
import type { SourceTree } from './source-tree.ts';
import type { ToolName } from './types.ts';

type CleanScopesInput = {
  tree: SourceTree;
  configured: readonly string[];
  folders: Folders;
  scopePath: string;
  toolName: ToolName;
};

/**
 * Finds the largest folders below the scanned one that scan without errors on their own, as repository paths, sorted.
 * Every configuration folder must have been read.
 */
export function findCleanScopes({ tree, configured, folders, scopePath, toolName }: CleanScopesInput): string[] {
  const inside = foldersInside(configured);
  const children = Map.groupBy(
    [...inside.keys()].filter((at) => at !== '.'),
    posix.dirname,
  );
  const tainted = new Set(tree.forbidden.flatMap(withParents));
  const isWithin = createBoundCheck(folders, toolName);
  const isClean = (scope: string): boolean => {
    if (tainted.has(scope)) return false;
    const roots = offered(inside.get(scope) ?? [], scope, none);
    // Checked before any call is followed: thousands of folders may call the same large module.
    if (roots.some((root) => leaves(root, scope, folders))) return false;
    const { candidates, problems } = explore(roots, scope, none, folders);
    if (problems.length > 0 || candidates.length === 0 || candidates.length > scanLimits.modules) return false;
    return candidates.every(isWithin);
  };
  const clean: string[] = [];
  const waiting = [...(children.get('.') ?? [])];
  for (let scope = waiting.pop(); scope !== undefined; scope = waiting.pop()) {
    if (isClean(scope)) clean.push(posix.join(scopePath, scope));
    else waiting.push(...(children.get(scope) ?? []));
  }
  return clean.sort().slice(0, scanLimits.cleanScopes);
}

const leaves = (root: string, scope: string, folders: Folders): boolean =>
  folders.get(root)?.calls.some(({ target }) => below(scope, target) === undefined) === true;

/**
 * Reports whether a module stays within the limits of one report; computed once per module, however many scopes contain
 * it.
 */
function createBoundCheck(folders: Folders, toolName: ToolName): (module: string) => boolean {
  const known = new Map<string, boolean>();
  return (module) => {
    const root = folders.get(module);
    const isWithin =
      known.get(module) ??
      (root !== undefined &&
        providerPackages(reachable([module], folders), toolName).length <= scanLimits.packages &&
        rootProviderRequirements(root, toolName).length <= scanLimits.requirements);
    known.set(module, isWithin);
    return isWithin;
  };
}

const none: ReadonlySet<string> = new Set();

/** Returns a path and every folder above it, up to the top. */
function withParents(path: string): string[] {
  const paths = [path];
  for (let at = path; at !== '.'; at = posix.dirname(at)) paths.push(posix.dirname(at));
  return paths;
}

/** Maps every folder with configuration in it or below it to those configuration folders. */
function foldersInside(configured: readonly string[]): Map<string, string[]> {
  const inside = new Map<string, string[]>();
  for (const folder of configured) {
    for (const at of withParents(folder)) {
      const known = inside.get(at);
      if (known) known.push(folder);
      else inside.set(at, [folder]);
    }
  }
  return inside;
}
