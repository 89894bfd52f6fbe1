import { posix } from 'node:path';
import { scanLimits } from '#shared/limits';
import { explore, type Folders, offered } from './exploration.ts';
import type { SourceTree } from './source-tree.ts';

type Given = { tree: SourceTree; configured: readonly string[]; folders: Folders; scopePath: string };

/**
 * The largest folders below the scanned one that would scan clean by themselves, as repository paths, sorted. Every
 * configuration folder must have been read.
 */
export function findCleanScopes({ tree, configured, folders, scopePath }: Given): string[] {
  const inside = foldersInside(configured);
  const children = Map.groupBy(
    [...inside.keys()].filter((at) => at !== '.'),
    posix.dirname,
  );
  const tainted = new Set(tree.forbidden.flatMap(withParents));
  const isClean = (scope: string): boolean => {
    if (tainted.has(scope)) return false;
    const { candidates, problems } = explore(offered(inside.get(scope) ?? [], scope, none), scope, none, folders);
    return problems.length === 0 && candidates.length > 0 && candidates.length <= scanLimits.modules;
  };
  const clean: string[] = [];
  const waiting = [...(children.get('.') ?? [])];
  for (let scope = waiting.pop(); scope !== undefined; scope = waiting.pop()) {
    if (isClean(scope)) clean.push(posix.join(scopePath, scope));
    else waiting.push(...(children.get(scope) ?? []));
  }
  return clean.sort().slice(0, scanLimits.cleanScopes);
}

const none: ReadonlySet<string> = new Set();

/** A path and every folder above it, up to the top. */
function withParents(path: string): string[] {
  const found = [path];
  for (let at = path; at !== '.'; at = posix.dirname(at)) found.push(posix.dirname(at));
  return found;
}

/** For every folder with configuration in it or below it, those folders. */
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
