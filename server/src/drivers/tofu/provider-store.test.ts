import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStaged } from './provider-filing.ts';
import { hashPackage } from './provider-hash.ts';
import { currentPlatform, listMirror } from './provider-store.ts';
import { findMissing, writeView } from './provider-view.ts';

let root: string;
let storeDir: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'store-'));
  storeDir = path.join(root, 'store');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const time = 'registry.opentofu.org/hashicorp/time';
const local = 'registry.opentofu.org/hashicorp/local';
const platform = 'linux_amd64';

function stage(folder: string, address: string, version: string, content = `${address} ${version}`): string {
  const target = path.join(root, folder, address, version, platform);
  fs.mkdirSync(target, { recursive: true });
  fs.writeFileSync(path.join(target, 'terraform-provider-x'), content, { mode: 0o755 });
  fs.writeFileSync(path.join(target, 'LICENSE.txt'), 'MPL');
  return path.join(root, folder);
}

function file(address: string, version: string, content?: string) {
  const stagingDir = stage(`staging-${Math.random()}`, address, version, content);
  return fileStaged({ stagingDir, storeDir })[0] as NonNullable<ReturnType<typeof fileStaged>[0]>;
}

const find = (over: Partial<Parameters<typeof findMissing>[0]> = {}) =>
  findMissing({ storeDir, tool: 'tofu', platform, lock: null, ...over });

describe('the hash of a package', () => {
  it('is the one of the format: a line per file in byte order, hashed again', () => {
    const folder = path.join(root, 'p');
    fs.mkdirSync(path.join(folder, 'sub'), { recursive: true });
    for (const name of ['b', 'B', 'sub/a', 'sub.txt']) fs.writeFileSync(path.join(folder, name), name);
    const hex = (text: string) => createHash('sha256').update(text).digest('hex');
    const lines = ['B', 'b', 'sub.txt', 'sub/a'].map((name) => `${hex(name)}  ${name}\n`).join('');
    expect(hashPackage(folder)).toBe(`h1:${createHash('sha256').update(lines).digest('base64')}`);
  });

  it('is refused for links and names with a line feed', () => {
    const folder = path.join(root, 'p');
    fs.mkdirSync(folder);
    fs.symlinkSync('/etc/passwd', path.join(folder, 'link'));
    expect(() => hashPackage(folder)).toThrow(expect.objectContaining({ code: 'provider_package_refused' }));
    fs.rmSync(path.join(folder, 'link'));
    fs.writeFileSync(path.join(folder, 'a\nb'), '');
    expect(() => hashPackage(folder)).toThrow(expect.objectContaining({ code: 'provider_package_refused' }));
  });
});

describe('storing staged packages', () => {
  it('stores each package under its hash, once and read-only', () => {
    const filed = file(time, '0.14.2');
    expect(filed).toMatchObject({ address: time, version: '0.14.2', platform });
    const folder = path.join(storeDir, filed.path);
    expect(hashPackage(folder)).toBe(filed.h1);
    expect(fs.statSync(path.join(folder, 'terraform-provider-x')).mode & 0o777).toBe(0o555);
    expect(file(time, '0.14.2')).toEqual(filed);
    expect(fs.readdirSync(storeDir).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('keeps two packages of one version apart', () => {
    expect(file(time, '0.14.2', 'one').path).not.toBe(file(time, '0.14.2', 'two').path);
  });

  it('follows a link to a mirror the tool saw elsewhere, and skips links into the store', () => {
    const mirrorDir = stage('mirror', time, '0.14.2');
    const stagingDir = path.join(root, 'staging');
    fs.mkdirSync(path.join(stagingDir, time, '0.14.2'), { recursive: true });
    fs.symlinkSync(`/svc/mirror/${time}/0.14.2/${platform}`, path.join(stagingDir, time, '0.14.2', platform));
    fs.mkdirSync(path.join(stagingDir, local, '1.4.0'), { recursive: true });
    fs.symlinkSync(
      `/svc/providers/views/v/${local}/1.4.0/${platform}`,
      path.join(stagingDir, local, '1.4.0', platform),
    );
    fs.writeFileSync(path.join(stagingDir, local, '1.4.0', `${platform}.lock`), '');
    const filed = fileStaged({
      stagingDir,
      storeDir,
      mounts: { '/svc/mirror': mirrorDir, '/svc/providers': storeDir },
    });
    expect(filed.map((item) => item.address)).toEqual([time]);
    expect(listMirror(mirrorDir)).toEqual([time]);
  });

  it('refuses a package with a link in it and leaves nothing behind', () => {
    const stagingDir = stage('staging', time, '0.14.2');
    fs.symlinkSync('/etc/passwd', path.join(stagingDir, time, '0.14.2', platform, 'link'));
    expect(() => fileStaged({ stagingDir, storeDir })).toThrow(
      expect.objectContaining({ code: 'provider_package_refused' }),
    );
    expect(fs.readdirSync(storeDir)).toEqual([]);
  });

  it('stores nothing from a missing folder', () => {
    expect(fileStaged({ stagingDir: path.join(root, 'nowhere'), storeDir })).toEqual([]);
  });
});

describe('the packages that an init may see', () => {
  it('are those that the lock names by hash, and no others of that provider', () => {
    const wanted = file(time, '0.14.2', 'one');
    file(time, '0.14.2', 'two');
    file(time, '0.13.0');
    const lock = [{ address: time, version: '0.14.2', hashes: ['zh:00', wanted.h1] }];
    expect(find({ lock })).toEqual({ present: [wanted], missing: [] });
    expect(find({ lock: [{ address: time, version: '0.14.2', hashes: ['zh:00'] }] })).toEqual({
      present: [],
      missing: [{ address: time, version: '0.14.2' }],
    });
  });

  it('are all that meet the constraints without a lock, and the newest stored of one version', () => {
    file(time, '0.14.2', 'one');
    const later = file(time, '0.14.2', 'two');
    const older = file(time, '0.13.0');
    const other = file(local, '1.4.0');
    const requirements = [{ address: time, constraints: '~> 0.13' }, { address: 'terraform.io/builtin/terraform' }];
    expect(find({ requirements })).toEqual({ present: [later, older], missing: [] });
    expect(find({ requirements: [{ address: time, constraints: '>= 1' }] }).missing).toEqual([{ address: time }]);
    expect(find()).toEqual({ present: [other, later, older], missing: [] });
  });

  it('do not require providers that only the other tool would read', () => {
    const lock = [{ address: 'registry.terraform.io/hashicorp/time', version: '0.14.2', hashes: [] }];
    expect(find({ lock }).missing).toEqual([]);
    expect(find({ lock, tool: 'terraform' }).missing).toHaveLength(1);
  });

  it('are none in a missing store or for another platform', () => {
    expect(find({ requirements: [{ address: time }] })).toEqual({ present: [], missing: [{ address: time }] });
    file(time, '0.14.2');
    expect(find({ platform: 'darwin_arm64' }).present).toEqual([]);
  });
});

describe('a view', () => {
  it('shows the packages in the unpacked layout, by links that move with the store', () => {
    const packages = [file(time, '0.14.2'), file(local, '1.4.0')];
    const view = writeView({ storeDir, packages });
    const moved = path.join(root, 'elsewhere');
    fs.renameSync(storeDir, moved);
    const shown = path.join(moved, view, time, '0.14.2', platform);
    expect(fs.realpathSync(shown)).toBe(fs.realpathSync(path.join(moved, packages[0]?.path as string)));
    expect(fs.readdirSync(shown)).toContain('terraform-provider-x');
    expect(listMirror(path.join(moved, view))).toEqual([local, time]);
  });

  it('is created once and named by its content', () => {
    const packages = [file(time, '0.14.2'), file(local, '1.4.0')];
    const view = writeView({ storeDir, packages });
    expect(writeView({ storeDir, packages: [...packages].reverse() })).toBe(view);
    expect(writeView({ storeDir, packages: [] })).not.toBe(view);
    expect(find().present).toHaveLength(2);
  });
});

it('names platforms as the tools do', () => {
  expect(currentPlatform('linux', 'x64')).toBe('linux_amd64');
  expect(currentPlatform('darwin', 'arm64')).toBe('darwin_arm64');
  expect(currentPlatform('win32', 'ia32')).toBe('windows_386');
});
