import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '#server/kernel/secret';
import { codeOf, type PackagesFixture, startPackages } from '../../../test/packages-fixture.ts';
import { zip } from '../../../test/zip.ts';
import { readArchive } from '../archive/index.ts';
import { gitOwnerOf } from './index.ts';

let fixture: PackagesFixture;
beforeAll(async () => {
  fixture = await startPackages();
});
beforeEach(() => fixture.registry.reset());
afterAll(() => fixture.close());

/** A gzipped tar with an executable, a folder, a long name and a link. */
async function tarGz(): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: './', type: 'directory' });
  tar.entry({ name: './main.tf' }, 'main');
  tar.entry({ name: './run.sh', mode: 0o755 }, 'run');
  tar.entry({ name: `deep/${'n'.repeat(150)}/main.tf` }, 'long');
  tar.entry({ name: 'link.tf', type: 'symlink', linkname: 'main.tf' });
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

const files = { 'main.tf': 'main', 'modules/net/main.tf': 'net' };
const downloads = () => fixture.registry.seen.filter(({ path: name }) => name.startsWith('/files/')).length;

describe('a package from Git', () => {
  it('has the files of its commit, and the called folder', async () => {
    const { url } = fixture.registry.repository('plain', files);
    const fetched = await fixture.fetchCall(`git::${url}//modules/net`);
    expect(fetched.files).toEqual(files);
    expect(fetched).toMatchObject({ sub: 'modules/net', fileCount: 2, leftOut: [] });
    expect(fs.existsSync(fetched.archive)).toBe(true);
  });

  it('names where its links lead, and may be called through one', async () => {
    const repository = fixture.registry.repository('linked', files);
    fs.symlinkSync('modules/net', path.join(repository.dir, 'net'));
    repository.commit({});
    const fetched = await fixture.fetchCall(`git::${repository.url}//net`);
    expect(fetched).toMatchObject({ files, sub: 'net' });
    expect(fetched.leftOut).toEqual([{ path: 'net', kind: 'symlink', target: 'modules/net' }]);
    expect(await codeOf(fixture.fetchCall(`git::${repository.url}//network`))).toBe('folder_not_found');
  });

  it('is the same package as an archive with the same files', async () => {
    const { url } = fixture.registry.repository('equal', files);
    const fromGit = await fixture.fetchCall(`git::${url}`);
    const fromZip = await fixture.fetchCall(fixture.registry.file('equal.zip', zip(files)));
    expect(fromZip.digest).toBe(fromGit.digest);
    expect(fromZip.sizeBytes).toBe(fromGit.sizeBytes);
  });

  it('is fetched once, and again when the stored one is damaged', async () => {
    const { url } = fixture.registry.repository('cached', { 'main.tf': 'cached' });
    const packs = () => fixture.registry.seen.filter(({ method }) => method === 'POST').length;
    const resolved = await fixture.packages.resolve({ address: `git::${url}` });
    const first = await fixture.fetch(resolved);
    const before = packs();
    expect((await fixture.fetch(resolved)).files).toEqual({ 'main.tf': 'cached' });
    expect(packs()).toBe(before);
    fs.appendFileSync(first.archive, 'x');
    expect((await fixture.fetch(resolved)).files).toEqual({ 'main.tf': 'cached' });
    expect(packs()).toBeGreaterThan(before);
  });

  it('belongs to its Workspace when it was fetched with a credential', async () => {
    const { registry, root } = fixture;
    const { url } = registry.repository('private', { 'main.tf': 'private' });
    registry.requireAccount({ username: 'me', password: 'correct-horse' });
    const account = { username: 'me', password: new Secret('correct-horse') };
    const credentials = { gitAccounts: new Map([[gitOwnerOf(url), account]]) };
    const resolved = await fixture.packages.resolve({ address: `git::${url}`, credentials });
    const { archive } = await fixture.fetch(resolved, { credentials });
    expect(path.relative(root, archive)).toMatch(/^own/);
    const folders = { shared: path.join(root, 'shared'), own: path.join(root, 'other'), work: path.join(root, 'work') };
    expect(await codeOf(fixture.fetch(resolved, { folders }))).toBe('credential_required');
    // One that was resolved without a credential is fetched without one, because everyone shares it.
    const open = { ...resolved, isPrivate: false };
    expect(await codeOf(fixture.fetch(open, { folders, credentials }))).toBe('credential_required');
  });

  it('is refused with a submodule or a file of Git LFS', async () => {
    const submodule = fixture.registry.repository('submodule', { 'main.tf': 'x' });
    const commit = submodule.git('rev-parse', 'HEAD');
    submodule.git('update-index', '--add', '--cacheinfo', `160000,${commit},vendor`);
    submodule.git('commit', '-q', '-m', 'submodule');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;
    const lfs = fixture.registry.repository('lfs', { 'main.tf': 'x', 'data/big.bin': pointer });
    await expect(fixture.fetchCall(`git::${submodule.url}`)).rejects.toThrow(/submodule at "vendor"/);
    await expect(fixture.fetchCall(`git::${lfs.url}`)).rejects.toThrow(/"data\/big.bin" .* Git LFS/);
    expect(fs.readdirSync(path.join(fixture.root, 'work'))).toEqual([]);
  });
});

describe('a package from an archive', () => {
  it('has the regular files of a tar.gz, and lists what is left out', async () => {
    const fetched = await fixture.fetchCall(fixture.registry.file('a.tgz', await tarGz()));
    expect(fetched.files).toEqual({
      'main.tf': 'main',
      'run.sh': 'run',
      [`deep/${'n'.repeat(150)}/main.tf`]: 'long',
    });
    expect(fetched.leftOut).toEqual([{ path: 'link.tf', kind: 'symlink' }]);
    const executable = [...readArchive(fetched.archive)].filter((file) => file.executable).map((file) => file.path);
    expect(executable).toEqual(['run.sh']);
  });

  it('has the one folder that a pattern names', async () => {
    const url = fixture.registry.file(
      'github',
      zip({ 'acme-net-1a2b/main.tf': 'm', 'acme-net-1a2b/modules/a/main.tf': 'a' }),
    );
    const fetched = await fixture.fetchCall(`${url}//*/modules/a?archive=zip`);
    expect(fetched.sub).toBe('acme-net-1a2b/modules/a');
    expect(await codeOf(fixture.fetchCall(`${url}//*/modules/b?archive=zip`))).toBe('folder_not_found');
    expect(await codeOf(fixture.fetchCall(`${url}//*/main.tf?archive=zip`))).toBe('folder_not_found');
  });

  it('is stored by its checksum, and downloaded each time without one', async () => {
    const bytes = zip({ 'main.tf': 'sum' });
    const url = fixture.registry.file('sum.zip', bytes);
    for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
      const call = `${url}?checksum=${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
      const before = downloads();
      for (const _ of [1, 2]) expect((await fixture.fetchCall(call)).files).toEqual({ 'main.tf': 'sum' });
      expect(downloads() - before, algorithm).toBe(1);
    }
    const before = downloads();
    for (const _ of [1, 2]) await fixture.fetchCall(url);
    expect(downloads() - before).toBe(2);
    expect(await codeOf(fixture.fetchCall(`${url}?checksum=sha256:${'0'.repeat(64)}`))).toBe('package_changed');
  });

  it('is bounded by what the caller has left', async () => {
    const url = fixture.registry.file('two.zip', zip({ 'a.tf': 'x'.repeat(600), 'b.tf': 'y'.repeat(600) }));
    const resolved = await fixture.packages.resolve({ address: url });
    expect((await fixture.fetch(resolved, { limits: { sizeBytes: 1_200, files: 2 } })).fileCount).toBe(2);
    for (const limits of [{ sizeBytes: 1_199 }, { files: 1 }])
      expect(await codeOf(fixture.fetch(resolved, { limits }))).toBe('package_too_large');
  });
});

describe('work that is stopped', () => {
  it('ends with the reason of its caller, or when it takes too long, and leaves nothing', async () => {
    const quick = await startPackages({ resolveMs: 200, fetchMs: 200 });
    quick.registry.on('/files/endless.zip', (_request, response) => {
      response.writeHead(200).write('PK');
    });
    quick.registry.on('/.well-known/terraform.json', () => undefined);
    try {
      const resolved = await quick.packages.resolve({ address: `${quick.registry.url}/files/endless.zip` });
      expect(await codeOf(quick.fetch(resolved))).toBe('timed_out');
      expect(await codeOf(quick.packages.resolve({ address: `${quick.registry.host}/a/b/c` }))).toBe('timed_out');
      const reason = new Error('no longer wanted');
      const controller = new AbortController();
      const work = fixture.packages.resolve({ address: `git::${quick.registry.url}/git/x`, signal: controller.signal });
      controller.abort(reason);
      await expect(work).rejects.toBe(reason);
      await expect(quick.fetch(resolved, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(fs.readdirSync(path.join(quick.root, 'work'))).toEqual([]);
    } finally {
      await quick.close();
    }
  });
});
