import { createHash } from 'node:crypto';
import { damaged } from './git-error.ts';

/** Hash function of a repository; an object id has 40 or 64 hex digits accordingly. */
export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
export type GitObject = { type: ObjectType; bytes: Buffer };

/**
 * Storage that objects are read from. Both methods return undefined for an unknown id, and throw `GitError` for damage.
 */
export type ObjectReader = {
  /** Type and size of an object, read without inflating its content. */
  stat: (id: string) => { type: ObjectType; size: number } | undefined;
  /** Returns an object, whose hash was verified against the id. */
  read: (id: string) => GitObject | undefined;
};

export const formatOf = (id: string): ObjectFormat => (id.length === 64 ? 'sha256' : 'sha1');
export const idBytes = (format: ObjectFormat): number => (format === 'sha256' ? 32 : 20);

/** Returns the id of an object: the hash of `<type> <size>\0<content>`. */
export const objectId = (format: ObjectFormat, { type, bytes }: GitObject): string =>
  createHash(format).update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');

/** Reads an object of a wanted type, or throws that the repository is damaged. */
export function mustRead(objects: ObjectReader, id: string, type: ObjectType): Buffer {
  const object = objects.read(id);
  if (!object) throw damaged(`${type} ${id} is missing`);
  if (object.type !== type) throw damaged(`${id} is a ${object.type} where a ${type} belongs`);
  return object.bytes;
}

const idPattern = '((?:[0-9a-f]{64})|(?:[0-9a-f]{40}))';
const treeLine = new RegExp(`^tree ${idPattern}\n`);
const tagLines = new RegExp(`^object ${idPattern}\ntype (commit|tree|blob|tag)\n`);

/** Returns the tree of a commit. */
export function treeOfCommit(bytes: Buffer): string {
  const tree = treeLine.exec(bytes.toString('latin1', 0, 128))?.[1];
  if (!tree) throw damaged('a commit names no tree');
  return tree;
}

/** Returns the target of an annotated tag. */
function targetOfTag(bytes: Buffer): { id: string; type: ObjectType } {
  const [, id, type] = tagLines.exec(bytes.toString('latin1', 0, 256)) ?? [];
  if (!id || !type) throw damaged('a tag names no object');
  return { id, type: type as ObjectType };
}

/** Maximum length of a chain of tags; a tag may point at a tag. */
const maxTagChain = 16;

/**
 * Follows annotated tags to the commit, or returns undefined when they end in a tree or blob or the object is missing.
 */
export function peelToCommit(objects: ObjectReader, id: string): string | undefined {
  let at = id;
  for (let step = 0; step <= maxTagChain; step += 1) {
    const type = objects.stat(at)?.type;
    if (type === 'commit') return at;
    if (type !== 'tag') return undefined;
    at = targetOfTag(mustRead(objects, at, 'tag')).id;
  }
  throw damaged('a tag points at more than 16 tags in a row');
}
