import { posix } from 'node:path';
import { limits } from '#shared/limits';
import { ModuleCallError } from './module-call-error.ts';

/** An entry that an archive leaves out. `target` is the text of a symbolic link, where it is known. */
export type LeftOutEntry = { path: string; kind: string; target?: string };

export type ResolvedLinks = {
  /** Further paths of a file: where links lead to it. */
  aliases: ReadonlyMap<string, readonly string[]>;
  /** Links that lead outside, nowhere or in a circle, and entries that are no links. */
  leftOut: readonly LeftOutEntry[];
};

/** Number of links that one path may pass, as on Linux. */
const maxHops = 40;

type Node = 'file' | 'folder' | LeftOutEntry;
/** The entries of an archive: kinds by path, and names by folder. */
type Tree = { nodes: Map<string, Node>; names: Map<string, string[]> };

/**
 * Replaces symbolic links by what they lead to inside the archive: a file, or every file of a folder. Throws
 * `ModuleCallError` when that would be more files than an archive holds.
 */
export function resolveLinks(files: Iterable<string>, leftOut: readonly LeftOutEntry[]): ResolvedLinks {
  if (leftOut.every(({ target }) => target === undefined)) return { aliases: new Map(), leftOut };
  const copying: Copying = {
    tree: treeOf(files, leftOut),
    aliases: new Map(),
    leftOut: [],
    steps: limits.treeEntries,
  };
  for (const entry of leftOut) copyEntry(copying, entry, entry.path, new Set(foldersAbove(entry.path)));
  return copying;
}

function treeOf(files: Iterable<string>, leftOut: readonly LeftOutEntry[]): Tree {
  const tree: Tree = { nodes: new Map([['.', 'folder']]), names: new Map() };
  for (const file of files) addNode(tree, file, 'file');
  for (const entry of leftOut) addNode(tree, entry.path, entry);
  return tree;
}

function addNode({ nodes, names }: Tree, path: string, node: Node): void {
  for (let at = path; at !== '.' && !nodes.has(at); at = posix.dirname(at)) {
    nodes.set(at, at === path ? node : 'folder');
    const folder = posix.dirname(at);
    const known = names.get(folder);
    if (known) known.push(posix.basename(at));
    else names.set(folder, [posix.basename(at)]);
  }
}

/** Returns the folders above a path, up to the top. */
function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path; at !== '.'; ) {
    at = posix.dirname(at);
    above.push(at);
  }
  return above;
}

type Copying = { tree: Tree; aliases: Map<string, string[]>; leftOut: LeftOutEntry[]; steps: number };

/**
 * Adds aliases below `at` for a link. The entry is left out there when it is no link, or leads outside, nowhere, or to
 * one of the folders that contain it.
 */
function copyEntry(copying: Copying, entry: LeftOutEntry, at: string, open: ReadonlySet<string>): void {
  const real = entry.target === undefined ? undefined : realPath(copying.tree, entry.path);
  if (real === undefined || open.has(real)) copying.leftOut.push({ ...entry, path: at });
  else if (copying.tree.nodes.get(real) === 'file') addAlias(copying, real, at);
  else copyFolder(copying, real, at, open);
}

function copyFolder(copying: Copying, folder: string, at: string, containing: ReadonlySet<string>): void {
  const { nodes, names } = copying.tree;
  const open = new Set([...containing, folder]);
  for (const name of names.get(folder) ?? []) {
    const [real, alias] = [posix.join(folder, name), posix.join(at, name)];
    spend(copying, alias);
    const node = nodes.get(real) ?? 'folder';
    if (node === 'file') addAlias(copying, real, alias);
    else if (node === 'folder') copyFolder(copying, real, alias, open);
    else copyEntry(copying, node, alias, open);
  }
}

function addAlias({ aliases }: Copying, file: string, alias: string): void {
  const known = aliases.get(file);
  if (known) known.push(alias);
  else aliases.set(file, [alias]);
}

function spend(copying: Copying, alias: string): void {
  copying.steps -= 1;
  if (copying.steps >= 0 && alias.split('/').length <= limits.treeDepth) return;
  throw new ModuleCallError(
    'tree_too_large',
    'The symbolic links lead to more files than a copy holds. Remove the links that nest.',
  );
}

/** Follows a path through links. Returns undefined when it leads outside, nowhere, or on forever. */
function realPath(tree: Tree, path: string): string | undefined {
  const waiting = path.split('/').reverse();
  let at: string | undefined = '.';
  for (let hops = 0; at !== undefined && hops <= maxHops; ) {
    const name = waiting.pop();
    if (name === undefined) return at;
    const node: Node | undefined = name === '..' ? 'folder' : tree.nodes.get(posix.join(at, name));
    if (typeof node !== 'object') at = stepTo(at, name, node, waiting.length === 0);
    else {
      hops += 1;
      if (node.target === undefined || /^\/|^$/.test(node.target)) return undefined;
      waiting.push(...node.target.split('/').reverse());
    }
  }
  return undefined;
}

/** Returns the path of a name in a folder; undefined for the folder above the top, and for a file that is not last. */
function stepTo(folder: string, name: string, node: Exclude<Node, object> | undefined, isLast: boolean) {
  if (name === '..') return folder === '.' ? undefined : posix.dirname(folder);
  return node === undefined || (node === 'file' && !isLast) ? undefined : posix.join(folder, name).replace(/\/$/, '');
}
