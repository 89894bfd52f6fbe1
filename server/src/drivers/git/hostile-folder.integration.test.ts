import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestRepository, type TestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { childrenOf } from '../../../test/child-processes.ts';
import { startGit } from '../../../test/git-driver.ts';
import { type Git, GitError } from './index.ts';

/* Repositories on this disk whose `.git` is crafted to block, flood or mislead the reader. */

let root: string;
let git: Git;
let good: TestRepository;
let commit: string;
beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-folder-'));
  good = createTestRepository(path.join(root, 'good'));
  commit = good.commit({ 'main.tf': 'x' });
  git = startGit({ allowLoopback: false, allowLocal: true });
});
afterAll(async () => {
  await git.close();
  fs.rmSync(root, { recursive: true, force: true });
});

const folders = () => ({ repositoryDir: path.join(root, 'kept'), archivesDir: path.join(root, 'archives') });
const sync = (dir: string) => git.sync({ url: pathToFileURL(dir).href, ref: 'main', path: '.' }, folders());
const failureOf = (dir: string) =>
  sync(dir).then(
    () => 'succeeded',
    (error: unknown) => (error instanceof GitError ? error.code : String(error)),
  );

function targetOf(link: string): string {
  try {
    return fs.readlinkSync(link);
  } catch {
    return '';
  }
}

let copies = 0;
/** Copies the intact repository, loose or packed, and returns the path of one file in its `.git`. */
function copyOf(name: string, isPacked: boolean): { dir: string; file: string } {
  copies += 1;
  const dir = path.join(root, `copy-${copies}`);
  fs.cpSync(good.dir, dir, { recursive: true });
  const gitDir = path.join(dir, '.git');
  if (isPacked)
    for (const step of [
      ['repack', '-adq'],
      ['pack-refs', '--all'],
    ])
      execFileSync('git', ['-C', dir, ...step]);
  const [pack = ''] = fs.readdirSync(path.join(gitDir, 'objects/pack')).filter((one) => one.endsWith('.idx'));
  const object = `objects/${commit.slice(0, 2)}/${commit.slice(2)}`;
  const inGitDir =
    name === 'object'
      ? object
      : name === 'idx'
        ? `objects/pack/${pack}`
        : name === 'pack'
          ? `objects/pack/${pack.replace(/idx$/, 'pack')}`
          : name;
  return { dir, file: path.join(gitDir, inGitDir) };
}

const traps = {
  'a FIFO': (file: string) => execFileSync('mkfifo', [file]),
  'a link to a device without an end': (file: string) => fs.symlinkSync('/dev/zero', file),
  'a link to a file outside': (file: string) => fs.symlinkSync('/etc/passwd', file),
  'a file without an end': (file: string) => {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 4 * 1_073_741_824);
  },
} satisfies Record<string, (file: string) => unknown>;
const looseFiles = ['HEAD', 'refs/heads/main', 'config', 'commondir', 'objects/info/alternates', 'object'];
const packedFiles = ['packed-refs', 'idx', 'pack'];
const cases = Object.keys(traps).flatMap((trap) => [
  ...looseFiles.map((name) => [trap, name, false] as const),
  ...packedFiles.map((name) => [trap, name, true] as const),
]);

describe('a local repository with', () => {
  it.each(cases)('%s at %s ends in a refusal, and the next sync works', async (trap, name, isPacked) => {
    const { dir, file } = copyOf(name, isPacked);
    fs.rmSync(file, { force: true });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    traps[trap as keyof typeof traps](file);
    const isUnread = name === 'HEAD' || (name === 'pack' && trap === 'a file without an end');
    if (!isUnread) expect(await failureOf(dir)).toMatch(/^source_(fetch_refused|too_large)$/);
    else await failureOf(dir);
    expect((await sync(good.dir)).resolvedCommit).toBe(commit);
  });

  it.each(['objects', 'refs', 'refs/heads', 'objects/pack'])(
    'a link at %s that leads outside is refused',
    async (name) => {
      const { dir, file } = copyOf(name, name === 'objects/pack');
      const elsewhere = path.join(root, `elsewhere-${copies}`);
      fs.renameSync(file, elsewhere);
      fs.symlinkSync(elsewhere, file);
      expect(await failureOf(dir)).toBe('source_fetch_refused');
    },
  );

  it.runIf(process.platform === 'linux')('an error after its packs were opened leaves none of them open', async () => {
    const { dir, file } = copyOf('packed-refs', true);
    fs.rmSync(file);
    execFileSync('mkfifo', [file]);
    const damaged = copyOf('objects/pack', true);
    fs.writeFileSync(path.join(damaged.file, 'pack-ffff.idx'), 'no index');
    const openPacks = () =>
      [process.pid, ...childrenOf(process.pid)].flatMap((pid) =>
        fs.readdirSync(`/proc/${pid}/fd`).filter((fd) => /copy-.*\.pack$/.test(targetOf(`/proc/${pid}/fd/${fd}`))),
      );
    expect([await failureOf(dir), await failureOf(damaged.dir)]).not.toContain('succeeded');
    expect(openPacks()).toEqual([]);
  });

  it('too many refs, or refs nested too deep, is refused', async () => {
    const { dir, file } = copyOf('refs/tags', false);
    fs.mkdirSync(path.join(file, Array(70).fill('d').join('/')), { recursive: true });
    await expect(git.listTags({ url: pathToFileURL(dir).href })).rejects.toMatchObject({ code: 'source_too_large' });
  });
});
