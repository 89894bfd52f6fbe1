import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestRepository, type TestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { startGit } from '../../../test/git-driver.ts';
import { type Git, GitError } from './index.ts';

let tempRoot: string;
let git: Git;
let repository: TestRepository;
let commit: string;
beforeAll(() => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-local-'));
  repository = createTestRepository(path.join(tempRoot, 'modules'));
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`);
  for (let version = 0; version < 6; version += 1) {
    lines[version] = `version ${version}`;
    commit = repository.commit({ 'main.tf': lines.join('\n'), 'net/run.sh': `echo ${version}` });
  }
  repository.git('tag', '-a', '-m', 'release', 'v1');
  repository.git('branch', 'topic/one');
  git = startGit({ allowLoopback: false, allowLocal: true });
});
afterAll(async () => {
  await git.close();
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

const folders = () => ({ repositoryDir: path.join(tempRoot, 'kept'), archivesDir: path.join(tempRoot, 'archives') });
const sync = (dir: string, ref = 'main') => git.sync({ url: pathToFileURL(dir).href, ref, path: '.' }, folders());
const failure = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => 'succeeded',
    (reason: unknown) => reason,
  );
  return error instanceof GitError ? error.code : String(error);
};

describe('a repository on this disk', () => {
  it('is read with loose objects, in packs with deltas, and bare, to the same archive', async () => {
    const loose = await sync(repository.dir);
    expect(loose).toMatchObject({ resolvedCommit: commit, fileCount: 2 });
    const bare = path.join(tempRoot, 'bare.git');
    execFileSync('git', ['clone', '-q', '--bare', repository.dir, bare]);
    for (const args of [
      ['repack', '-adfq'],
      ['repack', '-adfq', '--no-write-bitmap-index'],
      ['pack-refs', '--all'],
    ]) {
      execFileSync('git', ['-C', bare, '-c', 'repack.useDeltaBaseOffset=false', ...args]);
      expect(await sync(bare)).toEqual(loose);
    }
    repository.git('gc', '-q');
    expect(await sync(repository.dir)).toEqual(loose);
    expect(fs.existsSync(path.join(tempRoot, 'kept'))).toBe(false);
  });

  it('is read without a change to it', async () => {
    const listing = () => execFileSync('find', [repository.dir, '-printf', '%p %s %T@\n']).toString();
    const before = listing();
    await sync(repository.dir);
    expect(listing()).toBe(before);
  });

  it('finds loose and packed refs', async () => {
    for (const packed of [false, true]) {
      if (packed) repository.git('pack-refs', '--all');
      for (const ref of ['main', 'HEAD', 'topic/one', 'v1', commit, 'refs/heads/main']) {
        expect((await sync(repository.dir, ref)).resolvedCommit, ref).toBe(commit);
      }
      expect(await git.listTags({ url: pathToFileURL(repository.dir).href })).toEqual([{ name: 'v1', commit }]);
    }
    expect(await git.resolveRef({ url: pathToFileURL(repository.dir).href, ref: 'HEAD' })).toEqual({
      commit,
      ref: 'refs/heads/main',
    });
    for (const ref of ['nope', 'topic', 'topic/one/two', '../../config', 'f'.repeat(40)]) {
      expect(await failure(sync(repository.dir, ref)), ref).toBe('source_ref_not_found');
    }
  });

  it('is distinguished from a folder without a repository and from an empty one', async () => {
    expect(await failure(sync(path.join(tempRoot, 'nope')))).toBe('source_not_git');
    fs.mkdirSync(path.join(tempRoot, 'plain'));
    expect(await failure(sync(path.join(tempRoot, 'plain')))).toBe('source_not_git');
    expect(await failure(sync(createTestRepository(path.join(tempRoot, 'empty')).dir))).toBe('source_empty');
  });

  it('is refused when its objects are stored elsewhere or in another format', async () => {
    const worktree = path.join(tempRoot, 'worktree');
    repository.git('worktree', 'add', '-q', worktree, 'topic/one');
    expect(await failure(sync(worktree))).toBe('source_fetch_refused');
    const shared = path.join(tempRoot, 'shared');
    execFileSync('git', ['clone', '-q', '--shared', repository.dir, shared]);
    expect(await failure(sync(shared))).toBe('source_fetch_refused');
    const modern = createTestRepository(path.join(tempRoot, 'modern'), '--object-format=sha256');
    modern.commit({ 'main.tf': 'x' });
    expect(await failure(sync(modern.dir))).toBe('source_fetch_refused');
  });

  it('is refused when an object is damaged or missing', async () => {
    const broken = createTestRepository(path.join(tempRoot, 'broken'));
    broken.commit({ 'main.tf': 'good' });
    const id = broken.git('rev-parse', 'HEAD:main.tf');
    const other = broken.gitWith('evil', 'hash-object', '-w', '--stdin');
    const objectPath = (name: string) => path.join(broken.dir, '.git/objects', name.slice(0, 2), name.slice(2));
    fs.rmSync(objectPath(id), { force: true });
    expect(await failure(sync(broken.dir))).toBe('source_fetch_refused');
    fs.mkdirSync(path.dirname(objectPath(id)), { recursive: true });
    fs.copyFileSync(objectPath(other), objectPath(id));
    expect(await failure(sync(broken.dir))).toBe('source_fetch_refused');
    fs.rmSync(objectPath(id), { force: true });
    fs.writeFileSync(objectPath(id), 'no zlib');
    expect(await failure(sync(broken.dir))).toBe('source_fetch_refused');
  });
});
