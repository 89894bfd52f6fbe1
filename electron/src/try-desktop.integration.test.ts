import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DesktopHost, findUnavailableReason, tryDesktop } from './try-desktop.ts';

let root: string;
const at = (...names: string[]) => path.join(root, ...names);
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'gc-try-'));
  mkdirSync(at('node_modules/electron/dist'), { recursive: true });
  mkdirSync(at('server'));
  writeFileSync(
    at('server/build.mjs'),
    `import fs from 'node:fs'; fs.writeFileSync('${at('built')}', String(process.argv[2]));`,
  );
  installer('process.exit(1)');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const installer = (text: string) => writeFileSync(at('node_modules/electron/install.js'), text);
/** An Electron as a shell script, as a download leaves it. */
function electron(script: string): void {
  writeFileSync(at('node_modules/electron/path.txt'), 'electron');
  writeFileSync(at('node_modules/electron/dist/electron'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
const createHost = (more: Partial<DesktopHost> = {}): DesktopHost => ({
  root,
  env: { DISPLAY: ':0', PATH: process.env['PATH'] },
  platform: 'linux',
  isRoot: false,
  ...more,
});

test('opens no window without a display, as root, or without Electron', async () => {
  electron('exit 0');
  expect(await tryDesktop(createHost({ env: {} }))).toEqual({ refusal: 'There is no display for a desktop window.' });
  expect(await tryDesktop(createHost({ isRoot: true }))).toEqual({ refusal: 'Electron does not run as root.' });
  rmSync(at('node_modules'), { recursive: true });
  expect(findUnavailableReason(createHost())).toBe('Electron is not installed.');
});

test('builds and runs the desktop in the installed Electron, and returns its exit code', async () => {
  electron(`echo "$1 $GROUNDCTL_NODE" > ${at('ran')}; exit 3`);
  expect(await tryDesktop(createHost())).toEqual({ code: 3 });
  expect(readFileSync(at('ran'), 'utf8')).toBe(`${root} ${process.execPath}\n`);
  expect(readFileSync(at('built'), 'utf8')).toBe('--desktop');
});

test('downloads Electron by its own installer when it is missing', async () => {
  installer(`const fs = require('node:fs');
    fs.writeFileSync(__dirname + '/dist/electron', '#!/bin/sh\\nexit 0\\n', { mode: 0o755 });
    fs.writeFileSync(__dirname + '/path.txt', 'electron');`);
  expect(await tryDesktop(createHost())).toEqual({ code: 0 });
});

test('reports a download that fails or takes too long', async () => {
  expect(await tryDesktop(createHost())).toEqual({ refusal: 'Electron could not be downloaded.' });
  installer('setInterval(() => {}, 1000)');
  expect(await tryDesktop(createHost({ downloadMs: 1_000 }))).toEqual({
    refusal: 'Electron could not be downloaded within 1 s.',
  });
});

test('distinguishes an Electron that cannot run here from a desktop that exited', async () => {
  electron('exit 127');
  expect(await tryDesktop(createHost())).toEqual({ refusal: 'Electron cannot run on this system (127).' });
  electron('kill -TRAP $$');
  expect(await tryDesktop(createHost())).toEqual({ refusal: 'Electron cannot run on this system (SIGTRAP).' });
});
