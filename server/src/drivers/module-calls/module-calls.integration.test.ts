import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { callOf, packageFiles, packageInput } from '../../../test/copy-fixture.ts';
import { startGit } from '../../../test/git-driver.ts';
import { tempDir } from '../../../test/harness.ts';
import { modulePaths } from '../../../test/scan-fixture.ts';
import { readArchive } from '../archive/index.ts';
import { createModuleCalls, ModuleCallError, type ModuleCalls, type WriteCopyRequest } from './index.ts';

let dir: string;
let moduleCalls: ModuleCalls;
beforeAll(() => {
  dir = tempDir();
  moduleCalls = createModuleCalls();
});
afterAll(async () => {
  await moduleCalls.close();
  fs.rmSync(dir, { recursive: true });
});

const person = { name: 'Ground Control', email: 'copies@localhost', at: new Date('2026-01-01T00:00:00Z') };

/** Returns a request whose archives lie in a folder of their own. */
function requestIn(name: string, version = '5.1.0'): WriteCopyRequest {
  const at = path.join(dir, name);
  const files = { 'main.tf': callOf('v', 'acme/vpc/aws', '~> 5.0'), 'run.sh': '#!/bin/sh\n' };
  return {
    toolName: 'tofu',
    root: packageFiles(at, files, { executable: ['run.sh'] }),
    entries: ['.'],
    packages: [packageInput('acme/vpc/aws', version, packageFiles(at, { 'main.tf': `# ${version}\n` }))],
    resolutions: [{ source: 'acme/vpc/aws', version: '~> 5.0', package: `acme/vpc/aws ${version}`, sub: '.' }],
    repository: path.join(at, 'copy.git'),
    commit: { message: 'Copy', author: person, committer: person },
  };
}
const git = (folder: string, ...argv: string[]) =>
  execFileSync('git', ['-C', folder, ...argv], { encoding: 'utf8', stdio: 'pipe' });

describe('copies', () => {
  it('have the same commit id in two data folders, and Git accepts them', async () => {
    const [one, two] = [requestIn('one'), requestIn('two')];
    const first = await moduleCalls.writeCopy(one);
    const second = await moduleCalls.writeCopy(two);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ fileCount: 4, leftOut: [], rewritten: ['main.tf'] });
    git(one.repository, 'fsck', '--strict');
    expect(git(one.repository, 'rev-parse', 'main').trim()).toBe(first.commit);
    expect(git(one.repository, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'main').split('\n')).toEqual([
      '100644 external-modules/acme-vpc-aws-5.1.0/main.tf',
      '100644 external-modules/copy.lock.json',
      '100644 main.tf',
      '100755 run.sh',
      '',
    ]);
  });

  it('grow by a commit that names its parent', async () => {
    const before = requestIn('grown');
    const { commit: parent } = await moduleCalls.writeCopy(before);
    const after = requestIn('grown', '5.2.0');
    await moduleCalls.writeCopy({ ...after, commit: { ...after.commit, parent } });
    expect(git(before.repository, 'log', '--format=%P', '-1', 'main').trim()).toBe(parent);
    expect(git(before.repository, 'diff', '--name-only', parent, 'main')).toContain('acme-vpc-aws-5.2.0/main.tf');
  });

  it('that are refused leave the repository as it was', async () => {
    const good = requestIn('refused');
    const { commit } = await moduleCalls.writeCopy(good);
    await expect(moduleCalls.writeCopy({ ...good, resolutions: [] })).rejects.toMatchObject({
      code: 'call_not_resolved',
    });
    expect(git(good.repository, 'rev-parse', 'main').trim()).toBe(commit);
  });
});

describe('a copy of a Git repository', () => {
  it('has the files of its links, and is synced and scanned like any other', async () => {
    const repository = createTestRepository(path.join(dir, 'upstream'));
    fs.mkdirSync(path.join(repository.dir, 'stack'));
    fs.symlinkSync('../common.tf', path.join(repository.dir, 'stack/common.tf'));
    fs.symlinkSync('/etc/passwd', path.join(repository.dir, 'out'));
    repository.commit({ 'common.tf': callOf('v', 'acme/vpc/aws', '1.0.0'), 'stack/main.tf': 'locals {}\n' });
    const git = startGit({ allowLoopback: false, allowLocal: true });
    const sync = (folder: string) => {
      const folders = { repositoryDir: path.join(folder, 'packs'), archivesDir: path.join(dir, 'archives') };
      return git.sync({ url: pathToFileURL(folder).href, ref: 'main', path: '.', linkTargets: true }, folders);
    };
    try {
      const { archive, leftOut } = await sync(repository.dir);
      const request = requestIn('of-git', '1.0.0');
      const root = { archivePath: archive.path, archiveDigest: archive.digest, leftOut };
      const resolutions = request.resolutions.map((resolution) => ({ ...resolution, version: '1.0.0' }));
      const copy = await moduleCalls.writeCopy({ ...request, root, resolutions, entries: ['stack'] });
      expect(copy.leftOut.map(({ path: at }) => at)).toEqual(['common.tf', 'out']);
      const synced = await sync(request.repository);
      expect([synced.resolvedCommit, synced.leftOut]).toEqual([copy.commit, []]);
      const entries = [...readArchive(synced.archive.path, { digest: synced.archive.digest })];
      expect(await modulePaths(Object.fromEntries(entries.map((file) => [file.path, file.bytes])))).toEqual(['stack']);
    } finally {
      await git.close();
    }
  });
});

describe('the worker', () => {
  it('explores a package, and reports an archive that is gone or changed', async () => {
    const { root, toolName } = requestIn('explored');
    const request = { files: root, toolName, entries: ['.'], isRoot: true };
    expect((await moduleCalls.explore(request)).remoteCalls).toMatchObject([{ name: 'v', file: 'main.tf', line: 2 }]);
    const json = packageFiles(dir, { 'main.tf.json': '{"module": {"w": {\n"source": "acme/vpc/aws"}}}' });
    const inJson = await moduleCalls.explore({ ...request, files: json });
    expect(inJson.remoteCalls).toMatchObject([{ name: 'w', file: 'main.tf.json', line: 2 }]);
    const wrong = { ...root, archiveDigest: `sha256:${'0'.repeat(64)}` };
    const gone = { ...root, archivePath: path.join(dir, 'gone.tar') };
    for (const files of [wrong, gone]) {
      const failure = moduleCalls.explore({ ...request, files });
      await expect(failure).rejects.toMatchObject({ code: 'archive_unreadable' });
    }
  });

  it('rejects when it takes too long, and when it is closed', async () => {
    const { root, toolName } = requestIn('slow');
    const request = { files: root, toolName, entries: ['.'], isRoot: true };
    const hasty = createModuleCalls({ timeoutMs: 0 });
    await expect(hasty.explore(request)).rejects.toThrow(ModuleCallError);
    await hasty.close();
    await expect(hasty.explore(request)).rejects.toMatchObject({ code: 'interrupted' });
  });
});
