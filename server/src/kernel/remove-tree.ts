import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const slash = Buffer.from('/');

/**
 * Length above which a path is shortened by moving the folder up: a quarter of the limit of a call (PATH_MAX), because a
 * name follows that may have 765 bytes on macOS. On Windows Node lifts the limit.
 */
const longPath: Readonly<Partial<Record<NodeJS.Platform, number>>> = { linux: 1_024, darwin: 256 };

/** Number of removals between two yields to other work of this process. */
const batch = 64;

/**
 * Removes a file, a link (never its target) or a folder with all its content, whatever names, modes or depth a command
 * left. A folder without access rights is opened, and one whose path is too long is moved up first. Names are bytes,
 * because a module can write names that are not text. Entries that are already removed, or removed concurrently, are
 * not an error. `fs.rmSync` ends the whole process in that case.
 */
export function removeTree(target: Buffer | string, platform: NodeJS.Platform = process.platform): void {
  for (const _ of removals(bytesOf(target), platform));
}

/**
 * Removes a tree with breaks for other work and returns the freed bytes. `isEnded` is called between two files; true
 * leaves the rest for a later call.
 */
export async function removeTreeInBreaks(target: string, isEnded: () => boolean): Promise<number> {
  const steps = removals(bytesOf(target), process.platform);
  let freed = 0;
  for (let count = 1; !isEnded(); count += 1) {
    const step = steps.next();
    if (step.done === true) break;
    freed += step.value;
    if (count % batch === 0) await setImmediate();
  }
  return freed;
}

const bytesOf = (target: Buffer | string): Buffer =>
  typeof target === 'string' ? Buffer.from(target, 'utf8') : target;

/** Removes one entry per step and yields the freed bytes. */
function* removals(root: Buffer, platform: NodeJS.Platform): Generator<number, void> {
  const longest = longPath[platform] ?? Number.POSITIVE_INFINITY;
  const stat = fs.lstatSync(root, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) {
    yield unlink(root);
    return;
  }
  const emptied: Buffer[] = [];
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    emptied.push(folder);
    for (const entry of entriesOf(folder)) {
      const inside = Buffer.concat([folder, slash, entry.name]);
      if (entry.isDirectory()) pending.push(inside.length > longest ? moveUp(inside, root) : inside);
      else yield unlink(inside);
    }
  }
  // Parents were visited before their children.
  for (const folder of emptied.reverse()) {
    unlessGone(() => fs.rmdirSync(folder));
    yield 0;
  }
}

function unlink(file: Buffer): number {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  unlessGone(() => fs.unlinkSync(file));
  // A file with another hard link frees nothing.
  return stat.nlink === 1 ? stat.size : 0;
}

const entriesOf = (folder: Buffer): fs.Dirent<Buffer<ArrayBuffer>>[] =>
  unlessGone(() => {
    open(folder);
    return fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  }) ?? [];

function unlessGone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Opens a folder. Most are open already, and a change of mode is a write to the disk. */
function open(folder: Buffer): void {
  if ((fs.lstatSync(folder).mode & 0o700) !== 0o700) fs.chmodSync(folder, 0o700);
}

/** Moves a folder up. Only a writer of the folder may move it, because it contains a link to its parent. */
function moveUp(folder: Buffer, root: Buffer): Buffer {
  const moved = Buffer.concat([root, bytesOf(`/.${randomUUID()}`)]);
  open(folder);
  fs.renameSync(folder, moved);
  return moved;
}
