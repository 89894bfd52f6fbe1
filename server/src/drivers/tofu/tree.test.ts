import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeArchive } from '#server/drivers/archive/index';
import { prepareTree, readModuleFolder, type TreeRequest } from './tree.ts';

let root: string;
let treeDir: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'tree-'));
  treeDir = path.join(root, 'tree');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const files = {
  'main.tf': '# main',
  'mod/main.tf': '# mod',
  'mod/do.sh': '#!/bin/sh',
  'mod/deep/er/x.txt': 'x',
  'README.md': 'hi',
};

function archive(content: { readonly [path: string]: string } = files): string {
  const entries = Object.entries(content).map(([name, text]) => ({
    path: name,
    executable: name.endsWith('.sh'),
    bytes: Buffer.from(text),
  }));
  return writeArchive({ dir: path.join(root, 'archives'), entries }).path;
}

const prepare = (over: Partial<TreeRequest> = {}) =>
  prepareTree({
    archivePath: archive(),
    treeDir,
    modulePath: 'mod',
    generated: [{ name: 'zz_svc_override.tofu.json', text: '{}' }],
    lock: null,
    ...over,
  });

const read = (name: string) => fs.readFileSync(path.join(treeDir, name), 'utf8');
const at = (name: string) => path.join(treeDir, name);
const everything = () =>
  fs
    .readdirSync(treeDir, { recursive: true })
    .map(String)
    .filter((name) => !fs.statSync(at(name)).isDirectory())
    .sort();

describe('a first preparation', () => {
  it('writes the archive and the generated files and returns the module folder', () => {
    expect(prepare({ lock: '# lock' })).toEqual({ moduleDir: at('mod') });
    expect(everything()).toEqual(
      [...Object.keys(files), 'mod/.terraform.lock.hcl', 'mod/zz_svc_override.tofu.json'].sort(),
    );
    expect(fs.statSync(at('mod/do.sh')).mode & 0o100).toBe(0o100);
    expect(fs.statSync(at('main.tf')).mode & 0o100).toBe(0);
  });

  it('works for a module at the root', () => {
    expect(prepare({ modulePath: '.' }).moduleDir).toBe(treeDir);
    expect(read('zz_svc_override.tofu.json')).toBe('{}');
  });

  it('leaves out values, tests and states that the tool would load automatically', () => {
    const out = [
      'terraform.tfvars',
      'terraform.tfvars.json',
      'mod/a.auto.tfvars',
      'mod/b.auto.tfvars.json',
      'mod/t.tftest.hcl',
      'mod/tests/t.tofutest.json',
      'mod/terraform.tfstate',
      'x.tfstate.backup',
      'mod/terraform.tfstate.d/w/s',
      '.terraform.tfstate.lock.info',
    ];
    const retainedFiles = ['mod/dev.tfvars', 'mod/tests/data.json', 'mod/tfstate.md'];
    prepare({
      archivePath: archive(Object.fromEntries(['mod/main.tf', ...out, ...retainedFiles].map((name) => [name, '']))),
    });
    expect(everything()).toEqual(['mod/main.tf', 'mod/zz_svc_override.tofu.json', ...retainedFiles].sort());
  });

  it.each([
    'mod/.terraform/modules/modules.json',
    'terraform.d/plugins/x',
    'mod/terraform-provisioner-local-exec',
    '.terraformrc',
    'mod/.tofurc',
    'a.tfrc',
    'terraform.rc',
    'mod/tofu.rc',
  ])('refuses %s', (name) => {
    expect(() => prepare({ archivePath: archive({ 'mod/main.tf': '', [name]: '' }) })).toThrow(
      expect.objectContaining({ code: 'configuration_invalid' }),
    );
  });

  it('refuses a missing module and a generated name that is taken', () => {
    expect(() => prepare({ modulePath: 'nowhere' })).toThrow(
      expect.objectContaining({ code: 'configuration_invalid' }),
    );
    expect(() => prepare({ generated: [{ name: 'main.tf', text: '' }] })).toThrow(
      expect.objectContaining({ code: 'configuration_invalid' }),
    );
  });

  it('keeps the module’s own lock file until another is given or it is dropped', () => {
    const archivePath = archive({ ...files, 'mod/.terraform.lock.hcl': '# own' });
    prepare({ archivePath });
    expect(read('mod/.terraform.lock.hcl')).toBe('# own');
    prepare({ archivePath, lock: '# recorded' });
    expect(read('mod/.terraform.lock.hcl')).toBe('# recorded');
    prepare({ archivePath, ownLock: false });
    expect(fs.existsSync(at('mod/.terraform.lock.hcl'))).toBe(false);
    expect(readModuleFolder({ archivePath, modulePath: 'mod' })).toEqual({
      fileNames: ['.terraform.lock.hcl', 'do.sh', 'main.tf'],
      lock: '# own',
    });
    expect(readModuleFolder({ archivePath, modulePath: '.' })).toEqual({
      fileNames: ['README.md', 'main.tf'],
      lock: null,
    });
  });
});

describe('an archive with another digest', () => {
  it('is neither unpacked nor read', () => {
    const archivePath = archive({ 'mod/main.tf': '# hi' });
    const archiveDigest = `sha256:${path.basename(archivePath, '.tar')}`;
    const bytes = fs.readFileSync(archivePath);
    prepare({ archivePath, archiveDigest });
    bytes.write('HI', bytes.indexOf('hi'));
    fs.writeFileSync(archivePath, bytes);
    const refusal = expect.objectContaining({ code: 'archive_corrupt' });
    expect(() => prepare({ archivePath, archiveDigest })).toThrow(refusal);
    expect(() => readModuleFolder({ archivePath, archiveDigest, modulePath: '.' })).toThrow(refusal);
    fs.rmSync(archivePath);
    const missing = expect.objectContaining({ code: 'archive_missing' });
    expect(() => readModuleFolder({ archivePath, archiveDigest, modulePath: '.' })).toThrow(missing);
  });
});

describe('after a command has run', () => {
  beforeEach(() => {
    prepare({ lock: '# lock' });
  });

  it('does not touch correct files', () => {
    const before = fs.statSync(at('mod/main.tf'));
    prepare({ lock: '# lock' });
    expect(fs.statSync(at('mod/main.tf'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  it('restores changed, emptied and deleted files and file modes', () => {
    fs.writeFileSync(at('mod/do.sh'), '#!/bin/sX');
    fs.writeFileSync(at('mod/zz_svc_override.tofu.json'), '');
    fs.rmSync(at('mod/deep'), { recursive: true });
    fs.chmodSync(at('main.tf'), 0o000);
    fs.chmodSync(at('README.md'), 0o4755);
    prepare({ lock: '# lock' });
    expect([
      read('mod/do.sh'),
      read('mod/zz_svc_override.tofu.json'),
      read('mod/deep/er/x.txt'),
      read('main.tf'),
    ]).toEqual(['#!/bin/sh', '{}', 'x', '# main']);
    expect(fs.statSync(at('README.md')).mode & 0o7100).toBe(0);
  });

  it('removes everything that would influence the next command and keeps the rest', () => {
    const steering = [
      'gen.tf',
      'mod/gen.tofu',
      'mod/deep/g.tf.json',
      'new/g.tofu.json',
      'mod/.hidden.tf',
      'mod/x.auto.tfvars',
      'mod/terraform.tfvars',
      'mod/t.tftest.hcl',
      'mod/terraform-provisioner-local-exec',
      'mod/terraform.d/plugins/p',
      'mod/.terraform/modules/modules.json',
      '.terraform.lock.hcl',
      'new/.terraform.lock.hcl',
    ];
    const retainedFiles = ['mod/out.txt', 'new/data.json', 'mod/build.zip'];
    for (const name of [...steering, ...retainedFiles]) {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true });
      fs.writeFileSync(at(name), 'left behind');
    }
    fs.symlinkSync('/etc/hostname', at('mod/link.tf'));
    prepare({ lock: '# lock' });
    expect(everything()).toEqual(
      [...Object.keys(files), ...retainedFiles, 'mod/.terraform.lock.hcl', 'mod/zz_svc_override.tofu.json'].sort(),
    );
    expect(fs.lstatSync(at('mod/link.tf'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('removes them from folders that were locked', () => {
    for (const name of ['new/gen.tf', 'new/.terraform/modules/modules.json']) {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true });
      fs.writeFileSync(at(name), 'left behind');
    }
    for (const name of ['new/.terraform/modules', 'new/.terraform', 'new']) fs.chmodSync(at(name), 0o500);
    prepare();
    expect(fs.readdirSync(at('new'))).toEqual([]);
  });

  it('restores a folder of its own whose permissions were removed', () => {
    fs.writeFileSync(at('gen.tf'), 'left behind');
    fs.chmodSync(at('mod/deep'), 0o000);
    fs.chmodSync(treeDir, 0o000);
    prepare();
    expect(everything()).toEqual([...Object.keys(files), 'mod/zz_svc_override.tofu.json'].sort());
  });

  it('removes files that init would treat as a state from before a backend', () => {
    for (const name of ['mod/terraform.tfstate', 'terraform.tfstate.backup', 'mod/terraform.tfstate.d/other/x']) {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true });
      fs.writeFileSync(at(name), 'left behind');
    }
    prepare();
    expect(everything()).toEqual([...Object.keys(files), 'mod/zz_svc_override.tofu.json'].sort());
  });

  it('removes folders nested deeper than a path can name', () => {
    let folder = at('mod/.terraform');
    fs.mkdirSync(folder);
    const { moved } = Array.from({ length: 60 }).reduce<{ moved: string }>(
      ({ moved }, _, index) => {
        // Built from the inside out, because the whole path is too long to use.
        const outer = path.join(root, `part-${index}`);
        fs.mkdirSync(path.join(outer, 'd'.repeat(200)), { recursive: true });
        if (moved !== '') fs.renameSync(moved, path.join(outer, 'd'.repeat(200), 'in'));
        return { moved: outer };
      },
      { moved: '' },
    );
    folder = path.join(folder, 'deep');
    fs.renameSync(moved, folder);
    prepare();
    expect(fs.readdirSync(at('mod')).sort()).toEqual(['deep', 'do.sh', 'main.tf', 'zz_svc_override.tofu.json']);
  });

  it('removes a leftover lock file when none is recorded and the module has none', () => {
    prepare({ lock: null });
    expect(fs.existsSync(at('mod/.terraform.lock.hcl'))).toBe(false);
  });

  it('removes names that are not UTF-8', () => {
    const name = Buffer.concat([Buffer.from(`${treeDir}/mod/`), Buffer.from([0xff, 0xfe]), Buffer.from('.tf')]);
    fs.writeFileSync(name, 'x');
    prepare();
    expect(fs.existsSync(name)).toBe(false);
  });

  it('never writes through a link of a file, a folder or its own root folders', () => {
    const outside = path.join(root, 'outside');
    fs.mkdirSync(path.join(outside, 'er'), { recursive: true });
    fs.writeFileSync(path.join(outside, 'victim'), 'precious');
    fs.writeFileSync(path.join(outside, 'er', 'x.txt'), 'precious');
    fs.rmSync(at('main.tf'));
    fs.symlinkSync(path.join(outside, 'victim'), at('main.tf'));
    fs.rmSync(at('mod/deep'), { recursive: true });
    fs.symlinkSync(outside, at('mod/deep'));
    fs.rmSync(at('README.md'));
    fs.linkSync(path.join(outside, 'victim'), at('README.md'));
    prepare();
    expect(fs.readFileSync(path.join(outside, 'victim'), 'utf8')).toBe('precious');
    expect(fs.readFileSync(path.join(outside, 'er', 'x.txt'), 'utf8')).toBe('precious');
    expect([read('main.tf'), read('README.md'), read('mod/deep/er/x.txt')]).toEqual(['# main', 'hi', 'x']);
    for (const name of ['main.tf', 'README.md', 'mod/deep'])
      expect(fs.lstatSync(at(name)).isSymbolicLink()).toBe(false);
  });

  it('breaks a hard link instead of writing through it', () => {
    fs.linkSync(at('mod/main.tf'), path.join(root, 'second-name'));
    prepare();
    expect(fs.statSync(at('mod/main.tf')).nlink).toBe(1);
  });

  it('removes links to folders outside, through which unchecked configuration would be loaded', () => {
    const outside = path.join(root, 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'evil.tf'), '');
    fs.symlinkSync(outside, at('mod/gen'));
    fs.symlinkSync('deep', at('mod/inside'));
    prepare();
    expect(fs.existsSync(at('mod/gen'))).toBe(false);
    expect(fs.existsSync(at('mod/inside'))).toBe(true);
    expect(fs.existsSync(path.join(outside, 'evil.tf'))).toBe(true);
  });

  it('replaces a folder, a pipe or a locked folder where a file belongs', () => {
    fs.rmSync(at('main.tf'));
    fs.mkdirSync(at('main.tf/inner'), { recursive: true });
    fs.writeFileSync(at('main.tf/inner/f'), '');
    fs.chmodSync(at('main.tf/inner'), 0o000);
    fs.chmodSync(at('mod/deep'), 0o000);
    prepare();
    expect(read('main.tf')).toBe('# main');
    expect(read('mod/deep/er/x.txt')).toBe('x');
  });
});

describe('files that were built for the module', () => {
  const built = (content: { readonly [path: string]: string }) => ({
    path: archive(content),
    names: new Set(Object.keys(content)),
  });

  it('replace files of the archive, and are restored before each command', () => {
    const output = built({ 'README.md': 'made', 'mod/dist/app.sh': 'run' });
    prepare({ built: output });
    expect([read('README.md'), read('mod/dist/app.sh'), read('main.tf')]).toEqual(['made', 'run', '# main']);
    expect(fs.statSync(at('mod/dist/app.sh')).mode & 0o100).toBe(0o100);
    fs.writeFileSync(at('README.md'), 'changed');
    fs.rmSync(at('mod/dist'), { recursive: true });
    fs.symlinkSync('/etc', at('mod/dist'));
    prepare({ built: output });
    expect([read('README.md'), read('mod/dist/app.sh')]).toEqual(['made', 'run']);
    expect(fs.lstatSync(at('mod/dist')).isDirectory()).toBe(true);
  });

  it('leave correct files of the archive untouched', () => {
    const output = built({ 'README.md': 'made' });
    prepare({ built: output });
    const before = fs.statSync(at('README.md')).ino;
    prepare({ built: output });
    expect(fs.statSync(at('README.md')).ino).toBe(before);
  });
});
