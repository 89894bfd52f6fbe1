import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { createTestRepository, type TestRepository } from '../../../../e2e/fixtures/git-server.ts';
import { startGit } from '../../../test/git-driver.ts';
import { createRandom } from '../../../test/random-module.ts';
import { type Git, GitError, type GitSyncResult } from './index.ts';

/* Repositories whose `.git` was damaged at random positions in random ways. A deep run tests 500 of them. */

const seeds = Array.from({ length: depth({ quick: 50, deep: 500 }) }, (_, at) => at);

let root: string;
let git: Git;
let good: TestRepository;
let socket: net.Server;
let digest: string;
/** Digest without the branch's own file: the branch is then read from packed-refs. */
let packedDigest: string;
let entries: string[];
beforeAll(async () => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'gc-damaged-')));
  good = createTestRepository(path.join(root, 'good'));
  for (const text of ['one', 'two']) good.commit({ 'main.tf': text, 'modules/net/main.tf': `${text} net` });
  for (const step of [
    ['tag', '-a', 'v1', '-m', 'v1'],
    ['repack', '-adq'],
    ['pack-refs', '--all'],
  ])
    good.git(...step);
  git = startGit({ allowLoopback: false, allowLocal: true });
  packedDigest = (await sync(good.dir)).archive.digest;
  good.commit({ 'main.tf': 'three' });
  digest = (await sync(good.dir)).archive.digest;
  entries = (fs.readdirSync(path.join(good.dir, '.git'), { recursive: true }) as string[])
    .filter((name) => !/^(?:hooks|logs|info|description|index|COMMIT)/.test(name))
    .sort();
  socket = net.createServer().listen(path.join(root, 'socket'));
});
afterAll(async () => {
  await git.close();
  socket.close();
  fs.rmSync(root, { recursive: true, force: true });
});

const folders = () => ({ repositoryDir: path.join(root, 'kept'), archivesDir: path.join(root, 'archives') });
const sync = (dir: string) => git.sync({ url: pathToFileURL(dir).href, ref: 'main', path: '.' }, folders());

type Damage = (file: string, random: () => number) => void;
const replaced =
  (put: Damage): Damage =>
  (file, random) => {
    fs.rmSync(file, { recursive: true, force: true });
    put(file, random);
  };
/** Changes only files; a folder is not changed. */
const rewritten =
  (change: (bytes: Buffer, random: () => number) => Uint8Array): Damage =>
  (file, random) => {
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > 1_048_576) return;
    const bytes = fs.readFileSync(file);
    fs.rmSync(file);
    fs.writeFileSync(file, change(bytes, random));
  };
const damages: readonly Damage[] = [
  replaced((file) => execFileSync('mkfifo', [file])),
  replaced((file) => fs.linkSync(path.join(root, 'socket'), file)),
  replaced((file) => fs.mkdirSync(file)),
  replaced(() => {}),
  replaced((file) => fs.symlinkSync('/dev/zero', file)),
  replaced((file) => fs.symlinkSync(path.basename(file), file)),
  replaced((file) => fs.symlinkSync(path.join(good.dir, '.git'), file)),
  replaced((file) => fs.writeFileSync(file, '')),
  replaced((file) => fs.writeFileSync(file, 'ref: refs/heads/main\n')),
  replaced((file) => {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 4 * 1_073_741_824);
  }),
  rewritten((bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length))),
  rewritten((bytes) => Buffer.concat([bytes, bytes])),
  rewritten((bytes, random) => {
    for (let times = 0; times < 8 && bytes.length > 0; times += 1)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return bytes;
  }),
  rewritten((bytes, random) => Buffer.from(Array.from(bytes.subarray(0, 4_096), () => Math.floor(random() * 256)))),
];

/** Reports whether an entry still exists; an earlier damage may have moved its folder into the intact repository. */
const isThere = (file: string): boolean => {
  const folder = path.dirname(file);
  try {
    return fs.realpathSync(folder) === folder && fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

/** Copies the intact repository and damages one to three entries of its `.git`. */
function damagedCopy(seed: number): string {
  const random = createRandom(seed);
  const dir = path.join(root, `copy-${seed}`);
  fs.cpSync(good.dir, dir, { recursive: true });
  for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) {
    const file = path.join(dir, '.git', entries[Math.floor(random() * entries.length)] ?? 'HEAD');
    const damage = damages[Math.floor(random() * damages.length)];
    if (isThere(file)) damage?.(file, random);
  }
  return dir;
}

describe('a local repository that is damaged at random', () => {
  it.each(seeds)('returns its files or an error, and the next sync works (%i)', async (seed) => {
    const dir = damagedCopy(seed);
    const end = await sync(dir).catch((error: unknown) => error);
    if (end instanceof GitError) expect(end.message).toMatch(/^[A-Z].*\.$/s);
    else expect([digest, packedDigest]).toContain((end as GitSyncResult).archive.digest);
    expect((await sync(good.dir)).archive.digest).toBe(digest);
    fs.rmSync(dir, { recursive: true, force: true });
  });
});
