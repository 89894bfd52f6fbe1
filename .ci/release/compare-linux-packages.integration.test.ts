import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { debFiles, differences, rpmFiles } from './compare-linux-packages.ts';

const hasTools = ['dpkg-deb', 'rpmbuild', 'rpm'].every((name) => spawnSync(name, ['--version']).status === 0);
const files = ['/opt/Ground Control/groundctl', '/opt/Ground Control/a -- b.txt', '/usr/share/icons/groundctl.png'];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-linux-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (...names: string[]) => path.join(folder, ...names);

test('reads the lists of both formats', () => {
  const deb = `drwxr-xr-x root/root         0 2026-11-27 00:00 ./opt/
-rwxr-xr-x root/root        10 2026-11-27 00:00 ./opt/Ground Control/groundctl
lrwxrwxrwx root/root         0 2026-11-27 00:00 ./usr/bin/groundctl -> /opt/Ground Control/groundctl
`;
  const rpm = `drwxr-xr-x    2 root     root            0 Nov 27 00:00 /opt
-rwxr-xr-x    1 root     root           10 Nov 27 00:00 /opt/Ground Control/groundctl
lrwxrwxrwx    1 root     root           20 Nov 27 00:00 /usr/lib/.build-id/0a/bc -> ../../../opt/x
-rw-r--r--    1 root     root           10 Nov 27 00:00 /opt/Ground Control/more
`;
  expect(debFiles(deb)).toEqual(['/opt/Ground Control/groundctl', '/usr/bin/groundctl']);
  expect(differences(debFiles(deb), rpmFiles(rpm))).toEqual([
    'only in the deb: /usr/bin/groundctl',
    'only in the rpm: /opt/Ground Control/more',
  ]);
});

test.skipIf(!hasTools)('finds no difference between packages of the same files', () => {
  for (const name of files) {
    mkdirSync(at('root', path.dirname(name)), { recursive: true });
    writeFileSync(at('root', name), name);
  }
  mkdirSync(at('root/usr/bin'));
  symlinkSync('/opt/Ground Control/groundctl', at('root/usr/bin/groundctl'));
  cpSync(at('root'), at('deb'), { recursive: true, verbatimSymlinks: true });
  mkdirSync(at('deb/DEBIAN'));
  const control = 'Package: groundctl\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.example>\nDescription: a\n';
  writeFileSync(at('deb/DEBIAN/control'), control);
  execFileSync('dpkg-deb', ['--build', at('deb'), at('a.deb')], { stdio: 'pipe' });
  const head = 'Name: groundctl\nVersion: 1\nRelease: 1\nSummary: a\nLicense: Apache-2.0\nBuildArch: noarch\n';
  const copy = `%description\na\n%install\ncp -a "${at('root')}/." "%{buildroot}/"\n`;
  writeFileSync(
    at('a.spec'),
    `${head}${copy}%files\n${files.map((name) => `"${name}"`).join('\n')}\n/usr/bin/groundctl\n`,
  );
  const argv = ['-bb', '--define', `_topdir ${at('rpm')}`, '--define', `_rpmdir ${at('out')}`, at('a.spec')];
  execFileSync('rpmbuild', argv, { stdio: 'pipe', env: { ...process.env, HOME: folder } });
  const deb = debFiles(execFileSync('dpkg-deb', ['--contents', at('a.deb')], { encoding: 'utf8' }));
  const query = ['--query', '--list', '--verbose', '--package', at('out/noarch/groundctl-1-1.noarch.rpm')];
  const rpm = rpmFiles(execFileSync('rpm', query, { encoding: 'utf8' }));
  expect(deb).toHaveLength(files.length + 1);
  expect(differences(deb, rpm)).toEqual([]);
});
