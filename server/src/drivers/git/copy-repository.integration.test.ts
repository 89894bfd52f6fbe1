import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { copyUrl } from '#shared/sources/copy-address';
import { startGit } from '../../../test/git-driver.ts';
import { tempDir } from '../../../test/harness.ts';
import { type Git, writeRepository } from './index.ts';

const copyId = newId('copy');
const commit = { message: 'First', author: 'Ada', email: 'ada@localhost', at: new Date('2026-01-01T00:00:00Z') };
let dir: string;
let git: Git;
let closed: Git;
beforeAll(() => {
  dir = tempDir();
  const copiesDir = path.join(dir, 'copies');
  fs.mkdirSync(copiesDir);
  const files = new Map([
    ['main.tf', Buffer.from('output "a" { value = 1 }\n')],
    ['net/main.tf', Buffer.from('# net\n')],
  ]);
  writeRepository(path.join(copiesDir, `${copyId}.git`), files, commit);
  git = startGit({ allowLoopback: false, allowLocal: false, copiesDir });
  closed = startGit({ allowLoopback: true, allowLocal: true });
});
afterAll(async () => {
  await Promise.all([git.close(), closed.close()]);
  fs.rmSync(dir, { recursive: true });
});

const folders = () => ({ repositoryDir: path.join(dir, 'git'), archivesDir: path.join(dir, 'archives') });

describe('the repository of an installable copy', () => {
  it('is read where local repositories are not allowed', async () => {
    const request = { url: copyUrl(copyId), ref: 'HEAD', path: '.' };
    const { resolvedCommit, fileCount } = await git.sync(request, folders());
    expect(fileCount).toBe(2);
    expect(await git.resolveRef({ url: copyUrl(copyId), ref: 'main' })).toMatchObject({ commit: resolvedCommit });
    expect(fs.existsSync(folders().repositoryDir)).toBe(false);
  });

  it('lists its files with their modes and blobs', async () => {
    const files = await git.listFiles({ folder: path.join(dir, 'copies', `${copyId}.git`), ref: 'main' });
    expect(files.map(([name]) => name)).toEqual(['main.tf', 'net/main.tf']);
    expect(files[1]?.[1]).toMatch(/^100644 [0-9a-f]{40}$/);
  });

  it('is not read without the folder of copies, and never outside that folder', async () => {
    const request = (url: string) => ({ url, ref: 'HEAD', path: '.' });
    await expect(closed.sync(request(copyUrl(copyId)), folders())).rejects.toMatchObject({
      code: 'source_fetch_refused',
    });
    for (const name of [`../copies/${copyId}`, `${copyId}.git`, `${copyId}/..`, ''])
      await expect(git.sync(request(copyUrl(name)), folders())).rejects.toMatchObject({ code: 'source_fetch_refused' });
    await expect(git.sync(request(copyUrl(newId('copy'))), folders())).rejects.toMatchObject({
      code: 'source_not_git',
    });
  });
});
