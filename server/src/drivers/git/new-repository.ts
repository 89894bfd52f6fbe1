import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { objectId } from './git-object.ts';

/** Files by their path, with forward slashes. */
export type RepositoryFiles = ReadonlyMap<string, Buffer>;
type Commit = { message: string; author: string; email: string; at: Date };

/**
 * Writes a bare repository (gitrepository-layout) with one commit on `main`, unless the folder exists. The same files
 * and commit always have the same id. No Git program is needed.
 */
export function writeRepository(folder: string, files: RepositoryFiles, commit: Commit): void {
  if (existsSync(folder)) return;
  const partial = `${folder}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(path.join(partial, 'refs/heads'), { recursive: true });
  const write = createObjectWriter(path.join(partial, 'objects'));
  const tree = writeTree(files, write);
  const seconds = Math.floor(commit.at.getTime() / 1_000);
  const who = `${commit.author} <${commit.email}> ${seconds} +0000`;
  const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${commit.message}\n`;
  writeFileSync(path.join(partial, 'refs/heads/main'), `${write('commit', Buffer.from(text))}\n`);
  writeFileSync(path.join(partial, 'config'), '[core]\n  repositoryformatversion = 0\n  bare = true\n');
  writeFileSync(path.join(partial, 'HEAD'), 'ref: refs/heads/main\n');
  renameSync(partial, folder);
}

type WriteObject = (type: 'blob' | 'tree' | 'commit', bytes: Buffer) => string;

/** Writes loose objects and returns their ids. */
const createObjectWriter =
  (folder: string): WriteObject =>
  (type, bytes) => {
    const id = objectId('sha1', { type, bytes });
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
    mkdirSync(path.join(folder, id.slice(0, 2)), { recursive: true });
    writeFileSync(path.join(folder, id.slice(0, 2), id.slice(2)), deflateSync(whole));
    return id;
  };

function writeTree(files: RepositoryFiles, write: WriteObject): string {
  const folders = Map.groupBy(files, ([name]) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : ''));
  const entries = [...folders].flatMap(
    ([folder, inside]): { mode: string; name: string; order: string; id: string }[] =>
      folder === ''
        ? inside.map(([name, content]) => ({ mode: '100644', name, order: name, id: write('blob', content) }))
        : [
            {
              mode: '40000',
              name: folder,
              // Git orders a folder as if its name ended with a slash.
              order: `${folder}/`,
              id: writeTree(new Map(inside.map(([name, content]) => [name.slice(folder.length + 1), content])), write),
            },
          ],
  );
  const lines = entries
    .sort((a, b) => Buffer.compare(Buffer.from(a.order), Buffer.from(b.order)))
    .map(({ mode, name, id }) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
  return write('tree', Buffer.concat(lines));
}
