import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { syncFolder, writeDurably } from '#server/kernel/disk';
import { objectId } from './git-object.ts';

/** A file of a commit; `id` is that of a written blob. Paths have forward slashes. */
export type CommitFile = { path: string; executable: boolean; id: string };
export type CommitPerson = { name: string; email: string; at: Date };
export type CommitInput = {
  message: string;
  author: CommitPerson;
  committer: CommitPerson;
  parent?: string | undefined;
};

export type RepositoryWriter = {
  /** Returns the id of the blob. */
  writeBlob: (bytes: Buffer) => string;
  /** Writes a commit that holds exactly these files, makes it the head of `main`, and returns its id. */
  commit: (files: readonly CommitFile[], commit: CommitInput) => string;
};

/**
 * Opens a bare repository (gitrepository-layout) to add commits, and creates it when it is missing. Equal files and
 * texts have equal ids. Everything survives a power cut before `main` names it. No Git program is needed. One writer at
 * a time; synchronous, so many files belong off the server thread.
 */
export function createRepositoryWriter(folder: string): RepositoryWriter {
  const objects = path.join(folder, 'objects');
  fs.mkdirSync(objects, { recursive: true, mode: 0o700 });
  fs.mkdirSync(path.join(folder, 'refs/heads'), { recursive: true, mode: 0o700 });
  writeDurably(path.join(folder, 'config'), '[core]\n  repositoryformatversion = 0\n  bare = true\n');
  writeDurably(path.join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  const { write, settle } = createObjectWriter(objects);
  return {
    writeBlob: (bytes) => write('blob', bytes),
    commit(files, commit) {
      const text = commitText(writeTree(files, write), commit);
      const id = write('commit', Buffer.from(text));
      settle();
      writeDurably(path.join(folder, 'refs/heads/main'), `${id}\n`);
      return id;
    },
  };
}

function commitText(tree: string, { message, author, committer, parent }: CommitInput): string {
  const person = ({ name, email, at }: CommitPerson) =>
    `${plain(name)} <${plain(email)}> ${Math.floor(at.getTime() / 1_000)} +0000`;
  const parentLine = parent === undefined ? '' : `parent ${parent}\n`;
  return `tree ${tree}\n${parentLine}author ${person(author)}\ncommitter ${person(committer)}\n\n${message}\n`;
}

/** Removes what ends a field of a commit. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const plain = (text: string): string => text.replace(/[<>\u0000-\u001f]/g, '');

type WriteObject = (type: 'blob' | 'tree' | 'commit', bytes: Buffer) => string;

/**
 * Writes loose objects and returns their ids. An object that exists is complete, because it was renamed. Removes what a
 * killed writer left.
 */
function createObjectWriter(folder: string): { write: WriteObject; settle: () => void } {
  for (const name of fs.readdirSync(folder)) if (name.endsWith('.tmp')) fs.rmSync(path.join(folder, name));
  const touched = new Set<string>();
  const write: WriteObject = (type, bytes) => {
    const id = objectId('sha1', { type, bytes });
    const inside = path.join(folder, id.slice(0, 2));
    const file = path.join(inside, id.slice(2));
    if (fs.existsSync(file)) return id;
    fs.mkdirSync(inside, { recursive: true, mode: 0o700 });
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
    const temporary = path.join(folder, `${randomUUID()}.tmp`);
    try {
      fs.writeFileSync(temporary, deflateSync(whole), {
        flag: 'wx',
        mode: 0o600,
        flush: true,
      });
      fs.renameSync(temporary, file);
    } finally {
      fs.rmSync(temporary, { force: true });
    }
    touched.add(inside);
    return id;
  };
  const settle = (): void => {
    for (const inside of touched) syncFolder(inside);
    if (touched.size > 0) syncFolder(folder);
    touched.clear();
  };
  return { write, settle };
}

type TreeItem = { mode: string; name: string; order: Buffer; id: string };

function writeTree(files: readonly CommitFile[], write: WriteObject): string {
  const folders = Map.groupBy(files, ({ path: name }) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : ''));
  const items = [...folders].flatMap(([folder, inside]): TreeItem[] => {
    if (folder === '') return inside.map((file) => fileItem(file));
    const inner = inside.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }));
    // Git orders a folder as if its name ended with a slash.
    return [{ mode: '40000', name: folder, order: Buffer.from(`${folder}/`), id: writeTree(inner, write) }];
  });
  const lines = items
    .sort((a, b) => Buffer.compare(a.order, b.order))
    .map(({ mode, name, id }) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
  return write('tree', Buffer.concat(lines));
}

const fileItem = ({ path: name, executable, id }: CommitFile): TreeItem => ({
  mode: executable ? '100755' : '100644',
  name,
  order: Buffer.from(name),
  id,
});
