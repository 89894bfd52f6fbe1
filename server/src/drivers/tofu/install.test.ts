import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { zip } from '../../../test/zip.ts';
import { cachedToolDir, findTool, managedToolDir, type RunProgram, toolCacheDir } from './binary.ts';
import { type InstallProgress, type InstallRequest, installTool } from './install.ts';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'install-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

/** Simulates programs by texts that contain their output; the port under test defines how to run one. */
const run: RunProgram = async ([file, ...rest]) => {
  if (file === 'sh') return { code: 0, stdout: `building\n${fs.readFileSync(rest[0] as string, 'utf8').trim()}\n` };
  const text = fs.readFileSync(file as string, 'utf8');
  return text.startsWith('broken') ? { code: 1, stdout: '' } : { code: 0, stdout: `${text}\non linux_amd64\n` };
};

function program(file: string, text: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode: 0o755 });
  return file;
}

const at = (...parts: string[]) => path.join(root, ...parts);
const find = (over: Partial<Parameters<typeof findTool>[0]> = {}) =>
  findTool({
    dataDir: at('data'),
    cacheDir: at('cache'),
    bundledDir: at('bundled'),
    path: `relative:${at('bin')}:${at('bin2')}`,
    run,
    ...over,
  });

describe('finding the tool', () => {
  it('searches setting, managed copy, bundled copy, cache, tofu and terraform on PATH', async () => {
    const locations: [string, string, object][] = [
      [at('set', 'mine'), 'OpenTofu v1.9.0', { name: 'tofu', version: '1.9.0', origin: 'setting' }],
      [
        at(path.relative(root, managedToolDir(at('data'), '1.12.6')), 'tofu'),
        'OpenTofu v1.12.6',
        { name: 'tofu', version: '1.12.6', origin: 'managed' },
      ],
      [at('bundled', 'tofu'), 'OpenTofu v1.12.5', { name: 'tofu', version: '1.12.5', origin: 'bundled' }],
      [
        path.join(cachedToolDir(at('cache'), '1.12.6'), 'tofu'),
        'OpenTofu v1.12.6',
        { name: 'tofu', version: '1.12.6', origin: 'cache' },
      ],
      [at('bin2', 'tofu'), 'OpenTofu v1.10.0-rc1', { name: 'tofu', version: '1.10.0-rc1', origin: 'path' }],
      [at('bin', 'terraform'), 'Terraform v1.11.4', { name: 'terraform', version: '1.11.4', origin: 'path' }],
    ];
    for (const [file, text] of locations) program(file, text);
    for (const [index, [file, , expected]] of locations.entries()) {
      expect(await find(index === 0 ? { settingPath: file } : {})).toEqual({ ...expected, path: file });
      if (index > 0) fs.rmSync(file);
    }
    expect(await find()).toBeUndefined();
  });

  it('uses the newest of several managed versions and skips those that do not run', async () => {
    program(path.join(managedToolDir(at('data'), '1.9.0'), 'tofu'), 'OpenTofu v1.9.0');
    program(path.join(managedToolDir(at('data'), '1.10.0'), 'tofu'), 'OpenTofu v1.10.0');
    program(path.join(managedToolDir(at('data'), '1.12.6'), 'tofu'), 'broken');
    expect(await find()).toMatchObject({ version: '1.10.0' });
  });

  it('identifies a program by its output, not by its file name', async () => {
    expect(await find({ settingPath: program(at('tofu'), 'Terraform v1.11.4') })).toMatchObject({ name: 'terraform' });
  });

  it('does not fall back when the tool of the setting does not run', async () => {
    program(at('bin', 'tofu'), 'OpenTofu v1.12.6');
    for (const settingPath of [at('nowhere'), program(at('bad'), 'broken'), at('bin')])
      await expect(find({ settingPath })).rejects.toMatchObject({ code: 'tool_unavailable' });
  });

  it('has its cache at the path of the XDG specification', () => {
    expect(toolCacheDir({ XDG_CACHE_HOME: '/c' }, '/h')).toBe('/c/groundctl');
    expect(toolCacheDir({ XDG_CACHE_HOME: 'relative' }, '/h')).toBe('/h/.cache/groundctl');
    expect(toolCacheDir({}, '/h')).toBe('/h/.cache/groundctl');
  });
});

describe('installing the tool', () => {
  const archive = zip({ LICENSE: 'MPL', tofu: 'OpenTofu v1.12.6' });
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const versions = {
    version: '1.12.6',
    baseUrl: 'https://releases.test/v1.12.6/',
    archives: { linux_amd64: { file: 'tofu.zip', sha256 } },
  };
  const answers =
    (bytes: Buffer, status = 200): typeof fetch =>
    async () =>
      new Response(new Uint8Array(bytes), { status });
  const offline: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));
  const request = (over: Partial<InstallRequest> = {}): InstallRequest => ({
    dataDir: at('data'),
    cacheDir: at('cache'),
    versions,
    platform: 'linux_amd64',
    run,
    fetch: answers(archive),
    ...over,
  });

  it('moves the verified archive into the data folder and reports progress', async () => {
    const steps: InstallProgress[] = [];
    const tool = await installTool(request({ onProgress: (step) => steps.push(step) }));
    expect(tool).toEqual({
      name: 'tofu',
      version: '1.12.6',
      path: at('data/tools/tofu/1.12.6/tofu'),
      origin: 'managed',
    });
    expect(fs.statSync(tool.path).mode & 0o111).not.toBe(0);
    expect(fs.readdirSync(path.dirname(tool.path))).toEqual(['tofu']);
    expect([...new Set(steps.map((step) => step.step))]).toEqual(['download', 'verify', 'done']);
    expect(steps.find((step) => step.step === 'download')).toMatchObject({ receivedBytes: archive.length });
    expect(await installTool(request({ fetch: offline }))).toEqual(tool);
  });

  it('rejects an archive with another checksum, and does not build instead', async () => {
    const buildScript = program(at('build.sh'), program(at('built'), 'OpenTofu v1.12.6'));
    const other = zip({ tofu: 'OpenTofu v1.12.6 evil' });
    await expect(installTool(request({ fetch: answers(other), buildScript }))).rejects.toMatchObject({
      code: 'tool_download_failed',
    });
    expect(fs.existsSync(at('data/tools'))).toBe(false);
  });

  it('builds when the release site cannot be reached or no checksum is pinned', async () => {
    const buildScript = program(at('build.sh'), program(at('built'), 'OpenTofu v1.12.6'));
    for (const over of [{ fetch: offline }, { fetch: answers(Buffer.from('no'), 404) }, { platform: 'plan9_mips' }]) {
      const steps: InstallProgress[] = [];
      const tool = await installTool(request({ ...over, buildScript, onProgress: (step) => steps.push(step) }));
      expect(tool).toMatchObject({ path: at('built'), version: '1.12.6' });
      expect(steps[0]?.step).toBe('build');
    }
  });

  it('returns the remedy when neither works', async () => {
    await expect(installTool(request({ fetch: offline }))).rejects.toMatchObject({
      code: 'tool_download_failed',
      message: expect.stringContaining('could not be reached'),
    });
    const buildScript = program(at('build.sh'), program(at('built'), 'OpenTofu v1.11.0'));
    await expect(installTool(request({ fetch: offline, buildScript }))).rejects.toMatchObject({
      code: 'tool_build_failed',
    });
  });

  it('does not leave HTTPS', async () => {
    const plain = { ...versions, baseUrl: 'http://releases.test/' };
    await expect(installTool(request({ versions: plain }))).rejects.toMatchObject({ code: 'tool_download_failed' });
  });

  it('deletes a tool that does not run', async () => {
    const broken = zip({ tofu: 'broken' });
    const archives = { linux_amd64: { file: 'tofu.zip', sha256: createHash('sha256').update(broken).digest('hex') } };
    await expect(
      installTool(request({ versions: { ...versions, archives }, fetch: answers(broken) })),
    ).rejects.toMatchObject({ code: 'tool_download_failed' });
    expect(fs.readdirSync(at('data/tools/tofu/1.12.6'))).toEqual([]);
  });

  it('ends on request', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const aborting: typeof fetch = async (_url, init) => {
      init?.signal?.throwIfAborted();
      return new Response('');
    };
    await expect(
      installTool(request({ fetch: aborting, signal: controller.signal, buildScript: at('x') })),
    ).rejects.toThrow('enough');
  });
});

describe('the pinned versions', () => {
  it('name one archive with a whole SHA-256 per platform', () => {
    const file = path.join(repositoryRoot, 'resources/tofu/versions.json');
    const pinned = JSON.parse(fs.readFileSync(file, 'utf8')) as {
      version: string;
      baseUrl: string;
      archives: { [platform: string]: { file: string; sha256: string } };
    };
    expect(pinned.baseUrl).toBe(`https://github.com/opentofu/opentofu/releases/download/v${pinned.version}/`);
    for (const [platform, { file: name, sha256 }] of Object.entries(pinned.archives)) {
      expect(name).toBe(`tofu_${pinned.version}_${platform}.zip`);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    const script = fs.readFileSync(path.join(path.dirname(file), 'build.sh'), 'utf8');
    expect(script).toContain(`version=${pinned.version}\n`);
    expect(fs.readFileSync(path.join(path.dirname(file), 'go.mod'), 'utf8')).toContain(
      `github.com/opentofu/opentofu v${pinned.version} `,
    );
  });
});
