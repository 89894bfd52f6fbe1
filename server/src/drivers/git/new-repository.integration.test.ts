import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { writeRepository } from './new-repository.ts';

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
