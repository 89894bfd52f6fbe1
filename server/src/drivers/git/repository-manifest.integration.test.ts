import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestPath } from '#shared/vendor';
import { createTestRepository, type TestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { startGit } from '../../../test/git-driver.ts';
import { wholeManifest } from '../../../test/manifest-fixture.ts';
import type { Git } from './index.ts';

let tempRoot: string;
let git: Git;
let repositories = 0;
beforeAll(() => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-manifest-'));
  git = startGit({ allowLoopback: false, allowLocal: true });
});
afterAll(async () => {
  await git.close();
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

describe('the repository manifest', () => {
  it('is read at the repository root for any source path', async () => {
    const judged = async (files: Record<string, string | Buffer>, change?: (repo: TestRepository) => void) => {
      repositories += 1;
      const repo = createTestRepository(path.join(tempRoot, `r${repositories}`));
      repo.commit({ 'deep/main.tf': 'x', ...files });
      change?.(repo);
      const folders = { repositoryDir: path.join(tempRoot, 'kept'), archivesDir: path.join(tempRoot, 'archives') };
      return (await git.sync({ url: pathToFileURL(repo.dir).href, ref: 'main', path: 'deep' }, folders)).manifest;
    };
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(await judged({})).toEqual({ status: 'absent' });
    expect(await judged({ '.well-known': 'a file' })).toEqual({ status: 'absent' });
    const text = JSON.stringify(wholeManifest());
    const modulePaths = ['.', 'modules/small'];
    expect(await judged({ [manifestPath]: text })).toEqual({ status: 'present', digest, text, modulePaths });
    expect(await judged({ [manifestPath]: '{"a":1,"a":2}' })).toEqual({
      status: 'invalid',
      reason: 'invalid_document',
      digest,
      problems: [{ pointer: '', code: 'json_invalid', message: 'A key appears twice in one object.' }],
    });
    expect(await judged({ [manifestPath]: Buffer.from([0x7b, 0xff, 0x7d]) })).toEqual({
      status: 'invalid',
      reason: 'invalid_utf8',
      digest,
    });
    expect(await judged({ [manifestPath]: `{"a":"${'x'.repeat(131_072)}"}` })).toEqual({
      status: 'invalid',
      reason: 'too_large',
    });
    expect(await judged({ [`${manifestPath}/x`]: '{}' })).toEqual({ status: 'invalid', reason: 'not_regular_file' });
    const linked = (name: string) => (repo: TestRepository) => {
      fs.mkdirSync(path.dirname(path.join(repo.dir, name)), { recursive: true });
      fs.symlinkSync('/etc/passwd', path.join(repo.dir, name));
      repo.commit({});
    };
    expect(await judged({}, linked(manifestPath))).toEqual({ status: 'invalid', reason: 'not_regular_file' });
    expect(await judged({}, linked('.well-known'))).toEqual({ status: 'invalid', reason: 'not_regular_file' });
  });
});
