import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { chromiumPath, hasChromium } from './fixtures/browser.ts';
import { createScratch, startDesktop } from './fixtures/electron-shim/start.ts';
import { createTestRepository, startGitFixture } from './fixtures/git-server.ts';
import type { Harness } from './fixtures/harness.ts';
import { createHttp } from './fixtures/http.ts';
import { applyPlan, installPlanned, outputsOf } from './fixtures/journey.ts';
import { cacheDir } from './fixtures/tool.ts';

// electron-builder packages a stand-in for Electron's program; the packaged bundles then run under the shim.
const canRun = hasChromium && process.platform === 'linux';
if (!canRun) process.stderr.write(`\n!! No Linux with ${chromiumPath}: the package of the desktop is not tested.\n\n`);

const scratch = createScratch();
const at = (...names: string[]) => path.join(scratch.folder, ...names);
const resources = at('out/linux-unpacked/resources');

beforeAll(() => {
  if (!canRun) return;
  const run = (...argv: string[]) => execFileSync(process.execPath, argv, { cwd: repositoryRoot, stdio: 'pipe' });
  run('server/build.mjs', '--desktop');
  mkdirSync(at('electron'));
  writeFileSync(at('electron/electron'), '#!/bin/sh\n', { mode: 0o755 });
  for (const name of ['LICENSE', 'chrome-sandbox', 'version']) writeFileSync(at('electron', name), '');
  // The stand-in has no fuses to be set.
  const config = readFileSync(path.join(repositoryRoot, 'electron-builder.yml'), 'utf8');
  writeFileSync(at('builder.yml'), config.replace(/^electronFuses:\n(?: .*\n)+/m, ''));
  const folders = [`-c.electronDist=${at('electron')}`, `-c.directories.output=${at('out')}`];
  run('.ci/release/desktop-packages.ts', '--linux', 'dir', '--config', at('builder.yml'), ...folders);
});
afterAll(() => scratch.remove());

describe.skipIf(!canRun)('the package of the desktop', () => {
  test('contains the bundles, native modules, the Node for supervisors, and no source', () => {
    const inApp = (...names: string[]) => readdirSync(path.join(resources, 'app', ...names)).sort();
    expect(inApp()).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json', 'resources']);
    expect(inApp('dist')).toEqual(['desktop', 'renderer', 'server', 'third-party']);
    expect(inApp('node_modules')).toEqual([
      '@cdktn',
      '@node-rs',
      'better-sqlite3',
      'fs-extra',
      'graceful-fs',
      'jsonfile',
      'keytar',
      'universalify',
      'web-tree-sitter',
    ]);
    expect(inApp('dist', 'server').filter((name) => name.endsWith('.map'))).toEqual([]);
    expect(execFileSync(path.join(resources, 'node/node'), ['--version'], { encoding: 'utf8' }).trim()).toBe(
      process.version,
    );
  });

  test('says that it is unsigned', () => {
    const signing = JSON.parse(readFileSync(path.join(resources, 'signing.json'), 'utf8'));
    expect(signing).toMatchObject({ signed: false, reason: expect.stringContaining('SHA256SUMS') });
  });

  test('lists third-party software with versions and licenses', () => {
    const read = (name: string) => readFileSync(path.join(resources, 'app/dist/third-party', name), 'utf8');
    const bom = JSON.parse(read('sbom.cdx.json')) as { bomFormat: string; components: { 'bom-ref': string }[] };
    expect(bom.bomFormat).toBe('CycloneDX');
    const refs = bom.components.map((component) => component['bom-ref']);
    const { packages } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const pinned = (name: string) => `${name}@${packages[`node_modules/${name}`]?.version}`;
    const inside = ['fastify', 'zod', 'react', 'tailwindcss', 'better-sqlite3', 'jsonfile', 'electron'];
    expect(refs).toEqual(expect.arrayContaining(inside.map(pinned)));
    expect(refs.some((ref) => ref.startsWith('@github/keytar@'))).toBe(true);
    expect(refs).not.toContain(pinned('vitest'));
    const notices = read('notices.txt');
    for (const ref of refs) expect(notices).toContain(ref.replace(/^(?:@github\/)?(.+)@([^@]+)$/, '$1 $2 ('));
  });

  test('is complete: under the shim it takes a module from Git to Outputs', { timeout: 90_000 }, async () => {
    const { commit } = createTestRepository(at('git/hello'));
    cpSync(path.join(resources, 'app/resources/samples/hello'), at('hello'), { recursive: true });
    const files = readdirSync(at('hello'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tf'),
    );
    commit(Object.fromEntries(files.map((name) => [name, readFileSync(at('hello', name), 'utf8')])));
    const git = await startGitFixture({ root: at('git') });
    const env = { XDG_CACHE_HOME: path.dirname(cacheDir) };
    const app = path.join(resources, 'app');
    const desktop = startDesktop({ userData: at('user'), app, resources, isPackaged: true, env });
    try {
      const runtime = at('user/data/runtime.json');
      await vi.waitFor(() => expect(existsSync(runtime), desktop.log()).toBe(true), { timeout: 20_000 });
      await desktop.find('nav a');
      const harness = await enter(JSON.parse(readFileSync(runtime, 'utf8')).url, at('user/data/operator-token'));
      const variables = { names: ['Ada'], passphrase: 'a word of some length' };
      const { capsuleId, plan } = await installPlanned(harness, {
        url: `${git.url}/plain/hello`,
        name: 'hello',
        variables,
      });
      expect(await applyPlan(harness, plan)).toMatchObject({ status: 'succeeded' });
      expect(await outputsOf(harness, capsuleId)).toMatchObject({ greetings: { Ada: 'Hello, Ada!' } });
      expect(await desktop.quit()).toBe(0);
    } finally {
      await desktop.quit();
      await git.close();
    }
  });
});

/** Creates a session of the local owner in the existing Workspace. */
async function enter(url: string, tokenFile: string): Promise<Harness> {
  const operator = createHttp({ url, token: readFileSync(tokenFile, 'utf8').trim() });
  const { body } = await operator.post<{ session: { token: string } }>('/internal/v1/account-sessions', {});
  const server = { url, token: body.session.token };
  const http = createHttp(server);
  const { body: home } = await http.get<{ workspaces: { id: string }[] }>('/api/v1/workspaces');
  return { server, http, workspaceId: home.workspaces[0]?.id ?? '' } as unknown as Harness;
}
