import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArchive } from '#server/drivers/archive/index';
import {
  createTestRepository,
  type GitFixture,
  startGitFixture,
  type TestRepository,
} from '../../../../e2e/fixtures/git-server.ts';
import { startGit } from '../../../test/git-driver.ts';
import { type Git, GitError, type GitSyncRequest } from './index.ts';

let tempRoot: string;
let server: GitFixture;
let git: Git;
let repository: TestRepository;
let first: string;
let second: string;

beforeAll(async () => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-git-'));
  const root = path.join(tempRoot, 'served');
  repository = createTestRepository(path.join(root, 'modules'));
  first = repository.commit({ 'main.tf': 'one', 'net/vpc/main.tf': 'vpc', 'net/run.sh': '#!/bin/sh', 'naïve.tf': 'ï' });
  repository.git('tag', 'light');
  repository.git('tag', '-a', '-m', 'release', 'v1.0.0');
  repository.git('config', 'advice.nestedTag', 'false');
  repository.git('tag', '-a', '-m', 'tag of a tag', 'nested', 'v1.0.0');
  repository.git('tag', 'tree-tag', 'HEAD^{tree}');
  fs.symlinkSync('/etc/passwd', path.join(repository.dir, 'net/link.tf'));
  repository.git('update-index', '--add', '--cacheinfo', `160000,${first},vendor`);
  repository.git(
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${repository.gitWith('x', 'hash-object', '-w', '--stdin')},later.tf`,
  );
  repository.git('add', 'net/link.tf');
  repository.git('commit', '-q', '-m', 'second');
  second = repository.git('rev-parse', 'HEAD');
  repository.git('branch', 'feature/old', first);
  repository.git('branch', 'light-branch', first);
  createTestRepository(path.join(root, 'empty'));
  createTestRepository(path.join(root, 'modern'), '--object-format=sha256').commit({ 'main.tf': 'sha256' });
  server = await startGitFixture({ root });
  git = startGit({ allowLoopback: true, allowLocal: false });
});
afterAll(async () => {
  await git.close();
  await server.close();
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

let folders = 0;
const freshFolders = () => {
  folders += 1;
  return { repositoryDir: path.join(tempRoot, `kept-${folders}`), archivesDir: path.join(tempRoot, 'archives') };
};
const at = (mode: string, name = 'modules') => `${server.url}/${mode}/${name}`;
const sync = (request: Partial<GitSyncRequest>) =>
  git.sync({ url: at('plain'), ref: 'main', path: '.', ...request }, freshFolders());
const failure = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => 'succeeded',
    (reason: unknown) => reason,
  );
  return error instanceof GitError ? error.code : `not a GitError: ${error}`;
};
const namesOf = (file: string) => [...readArchive(file)].map((entry) => entry.path);

describe('a sync over HTTP', () => {
  it('rejects with the error of its line listener, and ends nothing else', async () => {
    const full = new Error('the ledger rejected a line');
    const onLine = () => {
      throw full;
    };
    const request = { url: at('plain'), ref: 'main', path: '.' };
    await expect(git.sync(request, { ...freshFolders(), onLine })).rejects.toBe(full);
    expect(await sync({})).toMatchObject({ resolvedCommit: second });
  });

  it('archives the regular files of a branch, and names left-out entries', async () => {
    const lines: string[] = [];
    const result = await git.sync(
      { url: at('plain'), ref: 'main', path: '.' },
      { ...freshFolders(), onLine: (line) => lines.push(line) },
    );
    expect(result).toMatchObject({ resolvedCommit: second, fileCount: 5, manifest: { status: 'absent' } });
    expect(result.leftOut).toEqual([
      { path: 'net/link.tf', kind: 'symlink' },
      { path: 'vendor', kind: 'submodule' },
    ]);
    const entries = [...readArchive(result.archive.path, { digest: result.archive.digest })];
    expect(entries.map((entry) => [entry.path, entry.executable, entry.bytes.toString()])).toEqual([
      ['later.tf', false, 'x'],
      ['main.tf', false, 'one'],
      ['naïve.tf', false, 'ï'],
      ['net/run.sh', true, '#!/bin/sh'],
      ['net/vpc/main.tf', false, 'vpc'],
    ]);
    expect(lines).toContain('Left out net/link.tf: a symbolic link.');
    expect(lines).toContain('Left out vendor: a submodule.');
  });

  it('names where symbolic links lead when that is requested', async () => {
    const { leftOut } = await sync({ linkTargets: true });
    expect(leftOut[0]).toEqual({ path: 'net/link.tf', kind: 'symlink', target: '/etc/passwd' });
  });

  it('finds branches, tags, annotated tags, commits and HEAD, in both protocol versions', async () => {
    const wanted = {
      main: second,
      HEAD: second,
      'feature/old': first,
      light: first,
      'v1.0.0': first,
      nested: first,
      'refs/tags/light': first,
      [second]: second,
    };
    for (const mode of ['plain', 'old']) {
      for (const [ref, commit] of Object.entries(wanted)) {
        expect((await sync({ url: at(mode), ref })).resolvedCommit, `${mode} ${ref}`).toBe(commit);
      }
    }
  });

  it('fetches a commit no branch points at, when the server sends it', async () => {
    expect((await sync({ ref: first.toUpperCase() })).resolvedCommit).toBe(first);
    expect(await failure(sync({ url: at('old'), ref: repository.git('rev-parse', 'main^{tree}') }))).toBe(
      'source_ref_not_found',
    );
  });

  it('reads repositories with SHA-256 object ids', async () => {
    const result = await sync({ url: at('plain', 'modern') });
    expect(result.resolvedCommit).toMatch(/^[0-9a-f]{64}$/);
    expect(namesOf(result.archive.path)).toEqual(['main.tf']);
  });

  it('contains only the subtree of the source path, with paths relative to it', async () => {
    expect(namesOf((await sync({ path: 'net' })).archive.path)).toEqual(['run.sh', 'vpc/main.tf']);
    expect(namesOf((await sync({ path: 'net/vpc' })).archive.path)).toEqual(['main.tf']);
    for (const missing of ['nope', 'net/nope', 'main.tf', 'net/link.tf', 'vendor', '../x', '/etc']) {
      expect(await failure(sync({ path: missing })), missing).toBe('source_path_not_found');
    }
  });

  it('gives the same archive for the same commit, and another path of it without a second fetch', async () => {
    const folders = freshFolders();
    const request = { url: at('plain'), ref: 'main', path: '.' };
    const one = await git.sync(request, folders);
    const posts = () => server.seen.filter((seen) => seen.method === 'POST').length;
    const before = posts();
    expect(await git.sync(request, folders)).toEqual(one);
    expect(namesOf((await git.sync({ ...request, path: 'net' }, folders)).archive.path)).toEqual([
      'run.sh',
      'vpc/main.tf',
    ]);
    expect(posts() - before).toBe(2);
  });

  it('fetches again when the stored pack is damaged, and keeps the packs of two commits', async () => {
    const folders = freshFolders();
    const one = await git.sync({ url: at('plain'), ref: 'main', path: '.' }, folders);
    const packFile = path.join(folders.repositoryDir, `${second}.pack`);
    fs.truncateSync(packFile, 40);
    expect(await git.sync({ url: at('plain'), ref: 'main', path: '.' }, folders)).toEqual(one);
    expect(fs.statSync(packFile).size).toBeGreaterThan(40);
    expect(fs.statSync(packFile).mode & 0o777).toBe(0o600);
    await git.sync({ url: at('plain'), ref: 'light', path: '.' }, folders);
    await git.sync({ url: at('plain', 'modern'), ref: 'main', path: '.' }, folders);
    expect(fs.readdirSync(folders.repositoryDir)).toHaveLength(2);
  });

  it('reports what is wrong with a ref', async () => {
    expect(await failure(sync({ ref: 'nope' }))).toBe('source_ref_not_found');
    expect(await failure(sync({ ref: 'light-branc' }))).toBe('source_ref_not_found');
    expect(await failure(sync({ ref: '--upload-pack=id' }))).toBe('source_ref_not_found');
    expect(await failure(sync({ ref: 'f'.repeat(40) }))).toBe('source_ref_not_found');
    expect(await failure(sync({ url: at('old'), ref: 'f'.repeat(40) }))).toBe('source_ref_not_found');
    expect(await failure(sync({ ref: 'tree-tag' }))).toBe('source_ref_not_found');
    for (const mode of ['plain', 'old']) {
      expect(await failure(sync({ url: at(mode, 'empty'), ref: 'main' }))).toBe('source_empty');
      expect(await failure(sync({ url: at(mode, 'empty'), ref: 'HEAD' }))).toBe('source_empty');
    }
  });

  it('reads a shallow repository, in both protocol versions', async () => {
    repository.git('clone', '-q', '--depth', '1', `file://${repository.dir}`, path.join(tempRoot, 'served/shallow'));
    for (const mode of ['plain', 'old']) {
      expect((await sync({ url: at(mode, 'shallow') })).resolvedCommit, mode).toBe(second);
      expect(await failure(sync({ url: at(mode, 'shallow'), ref: 'nope' }))).toBe('source_ref_not_found');
    }
  });

  it('prefers a branch over a tag of the same name, and accepts full names', async () => {
    const both = createTestRepository(path.join(tempRoot, 'served/both'));
    const tagged = both.commit({ 'main.tf': 'tagged' });
    both.git('tag', 'same');
    const branched = both.commit({ 'main.tf': 'branched' });
    both.git('branch', 'same');
    for (const mode of ['plain', 'old']) {
      const commitOf = async (ref: string) => (await git.resolveRef({ url: at(mode, 'both'), ref })).commit;
      expect(await commitOf('same')).toBe(branched);
      expect(await commitOf('refs/tags/same')).toBe(tagged);
      expect(await failure(commitOf('no\nref'))).toBe('source_ref_not_found');
    }
  });

  it('accepts a HEAD that names a missing branch, unless HEAD is requested', async () => {
    const broken = createTestRepository(path.join(tempRoot, 'served/headless'));
    broken.commit({ 'main.tf': 'x' });
    broken.git('symbolic-ref', 'HEAD', 'refs/heads/gone');
    expect((await sync({ url: at('plain', 'headless') })).fileCount).toBe(1);
    expect(await failure(sync({ url: at('plain', 'headless'), ref: 'HEAD' }))).toBe('source_ref_not_found');
  });

  it('resolves a ref and lists tags with the commits behind them, without a fetch', async () => {
    expect(await git.resolveRef({ url: at('plain'), ref: 'HEAD' })).toEqual({ commit: second, ref: 'refs/heads/main' });
    expect(await git.resolveRef({ url: at('old'), ref: 'HEAD' })).toEqual({ commit: second, ref: 'refs/heads/main' });
    expect(await git.resolveRef({ url: at('plain'), ref: 'v1.0.0' })).toEqual({
      commit: first,
      ref: 'refs/tags/v1.0.0',
    });
    for (const mode of ['plain', 'old']) {
      const tags = (await git.listTags({ url: at(mode) })).filter((tag) => tag.name !== 'tree-tag');
      expect(tags).toEqual(['light', 'nested', 'v1.0.0'].map((name) => ({ name, commit: first })));
    }
  });
});

describe('work that is stopped', () => {
  it('ends at once with the caller’s reason, or as timed out', async () => {
    for (const mode of ['hang', 'stall']) {
      const controller = new AbortController();
      const reason = new Error('no longer wanted');
      const before = server.seen.length;
      const work = git.sync(
        { url: at(mode), ref: 'main', path: '.' },
        { ...freshFolders(), signal: controller.signal },
      );
      await expect.poll(() => server.seen.length).toBeGreaterThan(before);
      controller.abort(reason);
      await expect(work).rejects.toBe(reason);
      const late = git.sync(
        { url: at(mode), ref: 'main', path: '.' },
        { ...freshFolders(), signal: AbortSignal.timeout(50) },
      );
      expect(await failure(late)).toBe('source_timed_out');
    }
    await expect(git.listTags({ url: at('plain') }, AbortSignal.abort(new Error('never started')))).rejects.toThrow(
      'never started',
    );
  });

  it('does not affect other work', async () => {
    const controller = new AbortController();
    const hanging = git.resolveRef({ url: at('hang'), ref: 'main' }, controller.signal);
    const good = sync({});
    controller.abort(new Error('stop'));
    await expect(hanging).rejects.toThrow('stop');
    expect((await good).resolvedCommit).toBe(second);
  });

  it('rejects when the driver closes, and no work starts after that', async () => {
    const closing = startGit({ allowLoopback: true, allowLocal: false });
    const work = failure(closing.resolveRef({ url: at('hang'), ref: 'main' }));
    await closing.close();
    expect(await work).toBe('source_sync_failed');
    expect(await failure(closing.listTags({ url: at('plain') }))).toBe('source_sync_failed');
  });
});

describe('the next sync of a Source', () => {
  const lines: string[] = [];
  const onLine = (line: string) => void lines.push(line);
  const received = () => lines.filter((line) => line.startsWith('Received')).map((line) => Number(line.split(' ')[1]));
  /** Creates a repository so large that transferring all of it is noticeable. */
  const makeLarge = (name: string, ...initArgs: string[]) => {
    const large = createTestRepository(path.join(tempRoot, 'served', name), ...initArgs);
    const file = (at: number) => [`docs/${at}.txt`, Buffer.from(`${at} `.repeat(200) + Math.sin(at))];
    large.commit(Object.fromEntries(Array.from({ length: 400 }, (_, at) => file(at))));
    large.git('repack', '-a', '-d', '-q');
    return large;
  };

  it.each([
    ['sha1', []],
    ['sha256', ['--object-format=sha256']],
  ])('fetches only new objects, with %s ids, and reads all of them', async (name, initArgs) => {
    const large = makeLarge(`large-${name}`, ...initArgs);
    const request = { url: at('plain', `large-${name}`), ref: 'main', path: '.' };
    const folders = freshFolders();
    lines.length = 0;
    await git.sync(request, { ...folders, onLine });
    for (const change of ['one', 'two', 'three']) {
      large.commit({ [`docs/${change}.txt`]: change, 'docs/7.txt': `7 ${change}` });
      const result = await git.sync(request, { ...folders, onLine });
      const contents = new Map([...readArchive(result.archive.path)].map((entry) => [entry.path, `${entry.bytes}`]));
      expect([contents.size, contents.get('docs/7.txt')]).toEqual([
        large.git('ls-files').split('\n').length,
        `7 ${change}`,
      ]);
      expect(await git.sync(request, freshFolders())).toEqual(result);
    }
    const [first = 0, ...others] = received();
    expect(others).toHaveLength(3);
    for (const bytes of others) expect(bytes).toBeLessThan(first / 5);
    expect(fs.readdirSync(folders.repositoryDir)).toHaveLength(2);
  });

  it('fetches everything again when the stored pack lacks objects that the server relies on', async () => {
    const large = makeLarge('lost');
    const request = { url: at('plain', 'lost'), ref: 'main', path: '.' };
    const folders = freshFolders();
    await git.sync(request, folders);
    // As if an earlier server had sent too little: the pack of another repository, under that commit.
    const commit = large.git('rev-parse', 'HEAD');
    const other = freshFolders();
    await git.sync({ url: at('plain'), ref: 'main', path: '.' }, other);
    fs.copyFileSync(
      path.join(other.repositoryDir, `${second}.pack`),
      path.join(folders.repositoryDir, `${commit}.pack`),
    );
    large.commit({ 'docs/7.txt': 'seven' });
    const result = await git.sync(request, folders);
    expect(namesOf(result.archive.path)).toHaveLength(400);
  });

  it('fetches everything again after many small fetches, so that objects of old commits are dropped', async () => {
    const large = makeLarge('grown');
    const request = { url: at('plain', 'grown'), ref: 'main', path: '.' };
    const folders = freshFolders();
    await git.sync(request, folders);
    const commit = large.git('rev-parse', 'HEAD');
    const packFileOf = (joins: string) => path.join(folders.repositoryDir, `${commit}${joins}.pack`);
    fs.renameSync(packFileOf(''), packFileOf('-64'));
    const next = large.commit({ 'docs/7.txt': 'seven' });
    await git.sync(request, folders);
    expect(fs.readdirSync(folders.repositoryDir)).toContain(`${next}.pack`);
  });

  it('fetches and writes nothing when the ref has not moved', async () => {
    const request = { url: at('plain'), ref: 'main', path: 'net' };
    const folders = freshFolders();
    const { resolvedCommit: commit, archive } = await git.sync(request, folders);
    const known = { commit, archiveDigest: archive.digest };
    server.seen.length = 0;
    expect(await git.syncChanges({ ...request, known }, folders)).toBeUndefined();
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
    fs.writeFileSync(archive.path, 'x');
    expect((await git.syncChanges({ ...request, known }, folders))?.archive).toEqual(archive);
    expect(await git.syncChanges({ ...request, known: { ...known, commit: first } }, folders)).toBeDefined();
  });
});
