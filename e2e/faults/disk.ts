import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../fixtures/random.ts';
import type { Change } from './trace.ts';

/*
 * A disk as a power cut leaves it. Data of a file is safe once the file was fsynced, a name once its folder was. Later
 * changes may be present, lost or partial. Files lose their data independently of each other and of their names, so a
 * rename can survive the content of the renamed file.
 */

type Write = { at: number; data: Buffer } | { length: number };
type File = { type: 'file'; mode: number; bytes: Buffer; length: number; pending: Write[] };
type Folder = { type: 'folder'; now: Map<string, Node> };
type Link = { type: 'link'; target: string };
type Node = File | Folder | Link;
/** One change of names. It survives or is lost as a whole, because a rename is atomic. */
type Naming = { folders: readonly Folder[]; apply(tree: Tree): void; isDurable: boolean };
/** The names after a power cut: the node of each name in a folder. */
type Tree = Map<Folder, Map<string, Node>>;

/** Outcome for names that were not fsynced. */
const namesModels = ['none', 'all', 'ordered', 'perFolder'] as const;
/** Outcome for data of a file that was not fsynced. */
const dataModels = ['none', 'all', 'prefix', 'torn'] as const;
export type Loss = { names: (typeof namesModels)[number]; data: (typeof dataModels)[number] | 'mixed' };

type Disk = {
  /** Applies the next change. */
  take(change: Change): void;
  /** Writes the disk below an empty folder, as it may be after a power cut now. Returns how it was created. */
  cut(folder: string, random: Random, only?: (path: string) => boolean): Loss;
};

const sectorBytes = 512;

export function createDisk(): Disk {
  const root: Folder = { type: 'folder', now: new Map() };
  const files = new Map<number, File>();
  const namings: Naming[] = [];
  const folderAt = (name: string): Folder => {
    let at = root;
    for (const part of name.split('/').filter((text) => text !== '' && text !== '.')) {
      const next = at.now.get(part);
      if (next?.type === 'folder') at = next;
      else at = addFolder(at, part);
    }
    return at;
  };
  // A file of an untraced program already exists when a traced one uses it.
  const addFolder = (parent: Folder, name: string): Folder => {
    const created: Folder = { type: 'folder', now: new Map() };
    rename({ folders: [parent], apply: (tree) => entriesOf(tree, parent).set(name, created), isDurable: true });
    parent.now.set(name, created);
    return created;
  };
  const rename = (naming: Naming): void => void namings.push(naming);
  const locate = (name: string): { parent: Folder; base: string } => ({
    parent: folderAt(path.posix.dirname(name)),
    base: path.posix.basename(name),
  });
  const add = (name: string, node: Node): void => {
    const { parent, base } = locate(name);
    parent.now.set(base, node);
    rename({ folders: [parent], apply: (tree) => entriesOf(tree, parent).set(base, node), isDurable: false });
  };
  const remove = (name: string): void => {
    const { parent, base } = locate(name);
    parent.now.delete(base);
    rename({ folders: [parent], apply: (tree) => entriesOf(tree, parent).delete(base), isDurable: false });
  };
  const move = (from: string, to: string): void => {
    const source = from === '' ? undefined : locate(from);
    const target = locate(to);
    const node = source?.parent.now.get(source.base);
    source?.parent.now.delete(source.base);
    if (node === undefined) target.parent.now.delete(target.base);
    else target.parent.now.set(target.base, node);
    rename({
      folders: source === undefined ? [target.parent] : [source.parent, target.parent],
      isDurable: false,
      apply(tree) {
        if (source !== undefined) entriesOf(tree, source.parent).delete(source.base);
        if (node === undefined) entriesOf(tree, target.parent).delete(target.base);
        else entriesOf(tree, target.parent).set(target.base, node);
      },
    });
  };
  const fileOf = ({ inode, path: name }: Change): File => {
    const known = files.get(inode);
    if (known !== undefined) return known;
    const created = newFile(0o600);
    files.set(inode, created);
    add(name, created);
    return created;
  };
  const takeData: { [kind: string]: (change: Change) => void } = {
    write: (change) => void fileOf(change).pending.push({ at: change.offset, data: change.data }),
    truncate: (change) => void fileOf(change).pending.push({ length: change.offset }),
    fsync: (change) => settle(fileOf(change)),
    chmod(change) {
      const file = files.get(change.inode);
      if (file !== undefined) file.mode = change.offset & 0o777;
    },
  };
  const takeName: { [kind: string]: (change: Change) => void } = {
    create(change) {
      const file = newFile(change.offset & 0o777);
      files.set(change.inode, file);
      add(change.path, file);
    },
    rename: ({ path: from, data }) => move(from, data.toString('utf8')),
    link({ path: from, data }) {
      const { parent, base } = locate(from);
      const node = parent.now.get(base);
      if (node !== undefined) add(data.toString('utf8'), node);
    },
    unlink: ({ path: name }) => remove(name),
    rmdir: ({ path: name }) => remove(name),
    mkdir: ({ path: name }) => add(name, { type: 'folder', now: new Map() }),
    symlink: ({ path: name, data }) => add(name, { type: 'link', target: data.toString('utf8') }),
    fsyncFolder({ path: name }) {
      const folder = folderAt(name);
      for (const naming of namings) naming.isDurable ||= naming.folders.includes(folder);
    },
  };
  return {
    take(change) {
      (takeData[change.kind] ?? takeName[change.kind])?.(change);
    },
    cut(folder, random, only = () => true) {
      const loss = chooseLoss(random);
      const tree = chooseNames(namings, loss.names, random);
      writeTree({ tree, node: root, folder, name: '', loss, random, only });
      return loss;
    },
  };
}

const newFile = (mode: number): File => ({ type: 'file', mode, bytes: Buffer.alloc(0), length: 0, pending: [] });

function entriesOf(tree: Tree, folder: Folder): Map<string, Node> {
  const entries = tree.get(folder) ?? new Map<string, Node>();
  tree.set(folder, entries);
  return entries;
}

function settle(file: File): void {
  for (const write of file.pending) apply(file, write);
  file.pending = [];
}

function apply(file: File, write: Write): void {
  if ('length' in write) {
    resize(file, write.length);
    return;
  }
  const end = write.at + write.data.length;
  if (end > file.length) resize(file, end);
  write.data.copy(file.bytes, write.at);
}

/** The buffer grows by doubling; bytes between an old end and a new one read as zeros. */
function resize(file: File, length: number): void {
  if (length > file.bytes.length) {
    const grown = Buffer.alloc(Math.max(length, file.bytes.length * 2));
    file.bytes.copy(grown, 0, 0, file.length);
    file.bytes = grown;
  }
  if (length > file.length) file.bytes.fill(0, file.length, length);
  file.length = length;
}

const pick = <T>(random: Random, from: readonly T[]): T => from[random.below(from.length)] as T;

function chooseLoss(random: Random): Loss {
  const names = pick(random, namesModels);
  return { names, data: pick(random, [...dataModels, 'mixed', 'mixed'] as const) };
}

function chooseNames(namings: readonly Naming[], model: Loss['names'], random: Random): Tree {
  const open = namings.filter(({ isDurable }) => !isDurable);
  const retained = new Set(keepNames(open, model, random));
  const tree: Tree = new Map();
  for (const naming of namings) if (naming.isDurable || retained.has(naming)) naming.apply(tree);
  return tree;
}

function keepNames(open: readonly Naming[], model: Loss['names'], random: Random): readonly Naming[] {
  if (model === 'none') return [];
  if (model === 'all') return open;
  if (model === 'ordered') return open.slice(0, random.below(open.length + 1));
  // Changes of one folder come in order, but not those of different ones.
  const folders = new Set(open.flatMap(({ folders: touched }) => touched));
  return [...folders].flatMap((folder) => {
    const own = open.filter(({ folders: touched }) => touched.includes(folder));
    return own.slice(0, random.below(own.length + 1));
  });
}

type Laying = {
  tree: Tree;
  node: Folder;
  folder: string;
  name: string;
  loss: Loss;
  random: Random;
  only: (path: string) => boolean;
};

function writeTree(laying: Laying): void {
  const { tree, node, folder, name, loss, random, only } = laying;
  for (const [base, child] of tree.get(node) ?? []) {
    const target = path.join(folder, base);
    const childName = path.posix.join(name, base);
    if (child.type === 'folder') {
      mkdirSync(target, { mode: 0o700 });
      writeTree({ ...laying, node: child, folder: target, name: childName });
    } else if (!only(childName)) {
      // Not requested.
    } else if (child.type === 'link') symlinkSync(child.target, target);
    else {
      writeFileSync(target, survivingBytes(child, loss.data, random));
      chmodSync(target, child.mode);
    }
  }
}

function survivingBytes(file: File, model: Loss['data'], random: Random): Buffer {
  const copy: File = { ...file, bytes: Buffer.from(file.bytes.subarray(0, file.length)), pending: [] };
  const chosen = model === 'mixed' ? pick(random, dataModels) : model;
  for (const write of keepWrites(file.pending, chosen, random)) apply(copy, write);
  return copy.bytes.subarray(0, copy.length);
}

function keepWrites(pending: readonly Write[], model: (typeof dataModels)[number], random: Random): readonly Write[] {
  if (model === 'none') return [];
  if (model === 'all') return pending;
  if (model === 'prefix') return pending.slice(0, random.below(pending.length + 1));
  return pending.flatMap((write) => ('length' in write ? [write] : sectorsOf(write, random)));
}

/** Some of the sectors that a write touches, in any order: the others keep their old content. */
function sectorsOf({ at, data }: { at: number; data: Buffer }, random: Random): Write[] {
  const sectors: Write[] = [];
  for (let start = at; start < at + data.length; ) {
    const end = Math.min(at + data.length, start - (start % sectorBytes) + sectorBytes);
    if (random.below(2) === 0) sectors.push({ at: start, data: data.subarray(start - at, end - at) });
    start = end;
  }
  return sectors;
}
