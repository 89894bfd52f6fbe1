import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { type CopyServer, startCopyServer } from '../../../test/copy-server.ts';
import { tempDir } from '../../../test/harness.ts';

let at: CopyServer;
let upstream: ReturnType<CopyServer['registry']['repository']>;
beforeAll(async () => {
  at = await startCopyServer();
  const { registry } = at;
  const network = registry.repository('network', { 'main.tf': 'output "name" {\n  value = "one"\n}\n' });
  network.git('tag', 'v1.0.0');
  registry.publish('example/network/aws', '1.0.0', `git::${network.url}?ref=v1.0.0`);
  const call = `module "network" {\n  source  = "${registry.host}/example/network/aws"\n  version = "1.0.0"\n}\n`;
  upstream = registry.repository('stack', {
    'main.tf': call,
    'bad/main.tf': 'module "bad" {\n  source = "s3::x"\n}\n',
  });
});
afterAll(() => at.close());

const copy = (...argv: string[]) => groundctl('copy', upstream.url, ...argv, '--data-dir', at.server.dataDir);
const readTree = (dir: string, ref: string) =>
  execFileSync('git', ['-C', dir, 'ls-tree', '-r', '--name-only', ref], { encoding: 'utf8' }).split('\n');

test('prints the review and waits for a person without a terminal', async () => {
  const { code, out, err } = await copy('--module', '.');
  expect([code, err]).toEqual([3, expect.stringMatching(/The review waits for you at http\S+\/copies\/copy_\S+\n$/)]);
  expect(out).toContain(`  registry ${at.registry.host}/example/network/aws (1.0.0)\n      1.0.0, `);
  expect(out).toMatch(/\nReview sha256:[0-9a-f]{64}\n$/);
  const json = JSON.parse((await copy('--module', './', '--json')).out);
  expect(json).toMatchObject({ outcome: 'waiting', revision: { status: 'waiting_approval' } });
});

test('makes the approved copy, and writes it as a repository that Git clones', async () => {
  const dir = path.join(tempDir(), 'copy.git');
  const { code, out } = await copy('--module', '.', '--auto-approve', '--out', dir);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/Install from it with: groundctl install svc-copy:copy_\w+\n$/),
  ]);
  expect(readTree(dir, 'main')).toEqual(expect.arrayContaining(['main.tf', 'external-modules/copy.lock.json']));
  execFileSync('git', ['-C', dir, 'fsck', '--strict'], { stdio: 'pipe' });
  const again = await copy('--module', '.', '--out', dir);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('is not empty')]);
});

test('finds the copy that exists, and updates it when the repository has another commit', async () => {
  const dir = path.join(tempDir(), 'copy.git');
  const before = JSON.parse((await copy('--module', '.', '--json')).out);
  expect(before).toMatchObject({ outcome: 'made', copy: { modulePath: '.' } });
  upstream.commit({ 'README.md': '# Stack\n' });
  const { code, out, err } = await copy('--module', '.', '--auto-approve', '--out', dir);
  expect([code, err]).toEqual([0, expect.stringContaining(': updating it')]);
  expect(out).toContain('Files that change:\n');
  expect(out).toContain('  + README.md\n');
  expect(readTree(dir, 'main')).toContain('README.md');
  expect(readTree(dir, 'main~1')).not.toContain('README.md');
});

test('writes the copy that exists when the repository has nothing new for it', async () => {
  const dir = path.join(tempDir(), 'copy.git');
  upstream.commit({ 'bad/main.tf': 'module "bad" {\n  source = "s3::y"\n}\n' });
  const { code, out, err } = await copy('--module', '.', '--out', dir);
  expect([code, err]).toEqual([0, expect.stringContaining('has the newest content already.')]);
  expect(out).toContain(' is made, commit ');
  expect(readTree(dir, 'main')).toContain('README.md');
  const { copies } = (await at.server.api.listCopies({ params: { workspaceId: at.server.workspaceId } })).body;
  const [made] = copies.filter(({ modulePath, currentRevisionId }) => modulePath === '.' && currentRevisionId);
  const check = await at.server.api.checkCopyUpstream({ params: { copyId: made?.id ?? '' } });
  expect(check.body).toMatchObject({ hasChanged: false });
});

test('names the reason of a failure, and writes nothing', async () => {
  const dir = path.join(tempDir(), 'copy.git');
  const { code, err } = await copy('--auto-approve', '--out', dir);
  expect(code).toBe(1);
  expect(err).toMatch(/s3/);
  expect(existsSync(dir)).toBe(false);
});

test('refuses a folder that is not empty and a wrong module before anything is fetched', async () => {
  const dir = path.join(tempDir(), 'full');
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'file'), '');
  expect(await copy('--out', dir)).toMatchObject({ code: 2 });
  expect(await copy('--module', '../up')).toMatchObject({ code: 2 });
});

test('installs from a copy by its address', async () => {
  const { copies } = (await at.server.api.listCopies({ params: { workspaceId: at.server.workspaceId } })).body;
  const made = copies.find(({ sourceId }) => sourceId !== undefined);
  const { err } = await groundctl('install', `svc-copy:${made?.id}`, '--data-dir', at.server.dataDir);
  expect(err).toMatch(/^Fetching svc-copy:copy_\w+ at HEAD\nCommit \w{12}/);
});
