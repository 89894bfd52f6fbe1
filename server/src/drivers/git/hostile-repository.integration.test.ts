import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArchive } from '#server/drivers/archive/index';
import { limits } from '#shared/limits';
import {
  createTestRepository,
  type GitFixture,
  type RawTreeEntry,
  startGitFixture,
  type TestRepository,
} from '../../../../e2e/fixtures/git-server.ts';
import { startGit } from '../../../test/git-driver.ts';
import { type Git, GitError } from './index.ts';

let tempRoot: string;
let server: GitFixture;
let git: Git;
let repository: TestRepository;
let blob: string;
beforeAll(async () => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-hostile-'));
  repository = createTestRepository(path.join(tempRoot, 'served/r'));
  repository.commit({ 'main.tf': 'x' });
  blob = repository.git('rev-parse', 'HEAD:main.tf');
  server = await startGitFixture({ root: path.join(tempRoot, 'served') });
  git = startGit({ allowLoopback: true, allowLocal: true });
});
afterAll(async () => {
  await git.close();
  await server.close();
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

let branches = 0;
/** Syncs a tree from disk and over HTTP; returns the outcome, which must be the same for both. */
async function outcomeOf(tree: string, path_ = '.'): Promise<string> {
  branches += 1;
  const ref = `b${branches}`;
  repository.commitTree(tree, ref);
  const outcomes = [];
  for (const url of [pathToFileURL(repository.dir).href, `${server.url}/plain/r`]) {
    const folders = {
      repositoryDir: path.join(tempRoot, `kept-${branches}`),
      archivesDir: path.join(tempRoot, 'archives'),
    };
    const work = git.sync({ url, ref, path: path_ }, folders);
    outcomes.push(
      await work.then(
        (result) => `${result.fileCount} files`,
        (error) => (error instanceof GitError ? error.code : String(error)),
      ),
    );
  }
  expect(outcomes[1]).toBe(outcomes[0]);
  return outcomes[0] ?? '';
}
const forge = (...entries: RawTreeEntry[]) => repository.forgeTree(entries);
const file = (name: string | Buffer, id = blob): RawTreeEntry => ({ mode: '100644', name, id });
const folder = (name: string, id: string): RawTreeEntry => ({ mode: '40000', name, id });

describe('a malicious tree', () => {
  it('is refused anywhere in the subtree', async () => {
    const bad = ['..', '.', '.git', '.GIT', 'git~1', '.git ', 'a\\b', 'a\u0007', '.g\u200cit', 'a/b'];
    for (const name of bad) {
      expect(await outcomeOf(forge(file(name))), name).toBe('source_fetch_refused');
      expect(await outcomeOf(forge(folder('deep', forge(file(name))))), name).toBe('source_fetch_refused');
    }
    expect(await outcomeOf(forge(file('a'), file('a')))).toBe('source_fetch_refused');
    expect(await outcomeOf(forge(file('A'), file('a')))).toBe('source_fetch_refused');
    expect(await outcomeOf(forge({ mode: '100600', name: 'a', id: blob }))).toBe('source_fetch_refused');
  });

  it('is refused when an entry is not what its mode says', async () => {
    const inner = forge(file('a'));
    branches += 1;
    repository.commitTree(forge(file('a', inner)), `b${branches}`);
    const work = git.sync(
      { url: pathToFileURL(repository.dir).href, ref: `b${branches}`, path: '.' },
      { repositoryDir: path.join(tempRoot, 'k'), archivesDir: path.join(tempRoot, 'archives') },
    );
    await expect(work).rejects.toMatchObject({ code: 'source_fetch_refused' });
  });

  it('outside the source path is ignored', async () => {
    const tree = forge(folder('bad', forge(file('.git'))), folder('good', forge(file('main.tf'))));
    expect(await outcomeOf(tree, 'good')).toBe('1 files');
    expect(await outcomeOf(tree)).toBe('source_fetch_refused');
  });

  it('leaves out names that are not UTF-8, and reports them', async () => {
    branches += 1;
    repository.commitTree(forge(file('a'), file(Buffer.from([0x62, 0xff]))), `b${branches}`);
    const folders = { repositoryDir: path.join(tempRoot, 'k'), archivesDir: path.join(tempRoot, 'archives') };
    const result = await git.sync({ url: pathToFileURL(repository.dir).href, ref: `b${branches}`, path: '.' }, folders);
    expect(result.leftOut).toEqual([{ path: 'b\\xff', kind: 'name_not_utf8' }]);
    expect([...readArchive(result.archive.path)].map((entry) => entry.path)).toEqual(['a']);
  });
});

describe('a repository over a limit', { timeout: 240_000 }, () => {
  it('is refused for its number of files or entries', async () => {
    const tree = (count: number) => {
      const lines = Array.from({ length: count }, (_, index) => `100644 blob ${blob}\tf${index}`).join('\n');
      return repository.gitWith(lines, 'mktree');
    };
    expect(await outcomeOf(tree(limits.archiveFiles))).toBe(`${limits.archiveFiles} files`);
    expect(await outcomeOf(tree(limits.archiveFiles + 1))).toBe('source_too_large');
    const links = Array.from({ length: limits.treeEntries + 1 }, (_, index) => `120000 blob ${blob}\tl${index}`).join(
      '\n',
    );
    expect(await outcomeOf(repository.gitWith(links, 'mktree'))).toBe('source_too_large');
  });

  it('is refused for its depth, and for a small tree that expands without end', async () => {
    const nest = (levels: number, width: number) => {
      let tree = forge(file('leaf'));
      for (let level = 0; level < levels; level += 1) {
        tree = forge(...Array.from({ length: width }, (_, index) => folder(`d${index}`, tree)));
      }
      return tree;
    };
    expect(await outcomeOf(nest(limits.treeDepth - 1, 1))).toBe('1 files');
    expect(await outcomeOf(nest(limits.treeDepth, 1))).toBe('source_too_large');
    expect(await outcomeOf(nest(9, 10))).toBe('source_too_large');
  });

  it('is refused for a large file, before it is unpacked, and for too many bytes in all', async () => {
    const zeros = repository.gitWith(Buffer.alloc(limits.blobBytes + 1), 'hash-object', '-w', '--stdin');
    expect(await outcomeOf(forge(file('zeros', zeros)))).toBe('source_too_large');
    const most = repository.gitWith(Buffer.alloc(limits.blobBytes), 'hash-object', '-w', '--stdin');
    expect(await outcomeOf(forge(...['a', 'b', 'c', 'd', 'e'].map((name) => file(name, most))))).toBe(
      'source_too_large',
    );
  });

  it('is refused for a name or path that cannot be written', async () => {
    expect(await outcomeOf(forge(file('n'.repeat(256))))).toBe('source_fetch_refused');
    let tree = forge(file('leaf'));
    for (let level = 0; level < 5; level += 1) tree = forge(folder('d'.repeat(250), tree));
    expect(await outcomeOf(tree)).toBe('source_fetch_refused');
  });
});
