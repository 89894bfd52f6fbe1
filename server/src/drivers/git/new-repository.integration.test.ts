import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { writeRepository } from './new-repository.ts';
import { createRepositoryWriter } from './repository-writer.ts';

let dir: string;
beforeAll(() => {
  dir = tempDir();
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

it('writes a repository that Git accepts and clones, with the same id each time', () => {
  const files = new Map(
    ['main.tf', 'modules/a/main.tf', 'modules.tf', 'a/b/c.txt'].map((name) => [name, Buffer.from(`# ${name}\n`)]),
  );
  const commit = { message: 'First', author: 'Ada', email: 'ada@localhost', at: new Date('2026-01-01T00:00:00Z') };
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: dir, encoding: 'utf8', stdio: 'pipe' });
  const heads = ['one.git', 'two.git'].map((name) => {
    const folder = path.join(dir, name);
    writeRepository(folder, files, commit);
    git('-C', folder, 'fsck', '--strict');
    return git('-C', folder, 'rev-parse', 'main');
  });
  expect(heads[1]).toBe(heads[0]);
  git('clone', '--quiet', path.join(dir, 'one.git'), 'clone');
  for (const [name, content] of files) expect(fs.readFileSync(path.join(dir, 'clone', name))).toEqual(content);
  // A second call keeps what is there.
  writeRepository(path.join(dir, 'one.git'), new Map(), { ...commit, message: 'Second' });
  expect(git('-C', path.join(dir, 'one.git'), 'log', '--format=%s %an', 'main')).toBe('First Ada\n');
});

it('adds a commit with a parent, an executable file and other dates, and leaves out what is gone', () => {
  const folder = path.join(dir, 'grown.git');
  const git = (...argv: string[]) => execFileSync('git', ['-C', folder, ...argv], { encoding: 'utf8', stdio: 'pipe' });
  const person = { name: 'Ada <a>\n', email: 'ada@localhost', at: new Date('2026-01-01T00:00:00Z') };
  const commits: string[] = [];
  for (const names of [
    ['a', 'b/c'],
    ['b/c', 'run.sh'],
  ]) {
    fs.mkdirSync(path.join(folder, 'objects'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'objects/killed.tmp'), 'torn');
    const writer = createRepositoryWriter(folder);
    const files = names.map((name) => ({
      path: name,
      executable: name.endsWith('.sh'),
      id: writer.writeBlob(Buffer.from(name)),
    }));
    const committer = { ...person, at: new Date(`2026-01-0${commits.length + 2}T00:00:00Z`) };
    commits.push(writer.commit(files, { message: 'Copy', author: person, committer, parent: commits.at(-1) }));
  }
  git('fsck', '--strict');
  expect(git('log', '--format=%H %an %at %ct', 'main').trim().split('\n')).toEqual([
    `${commits[1]} Ada a 1767225600 1767398400`,
    `${commits[0]} Ada a 1767225600 1767312000`,
  ]);
  expect(git('ls-tree', '-r', '--format=%(objectmode) %(path)', 'main')).toBe('100644 b/c\n100755 run.sh\n');
  expect(fs.readdirSync(path.join(folder, 'objects')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
