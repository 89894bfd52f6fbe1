import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { _electron } from 'playwright-core';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { hasDisplay } from '#shared/display';
import { killLeftovers } from './fixtures/leftovers.ts';

/** Electron's own program, which npm does not include: `npx install-electron` downloads it. */
function findElectron(): string | undefined {
  const folder = path.join(repositoryRoot, 'node_modules/electron');
  const named = path.join(folder, 'path.txt');
  const program = existsSync(named) ? path.join(folder, 'dist', readFileSync(named, 'utf8')) : '';
  return existsSync(program) ? program : undefined;
}

const program = findElectron();
const isShown = hasDisplay(process.env, process.platform);
if (!program || !isShown)
  process.stderr.write(
    `\n!! ${program ? 'No display' : 'No Electron program'}: the real desktop is not tested here.\n\n`,
  );

test.skipIf(!program || !isShown)('the real desktop opens the dashboard signed in and shuts down cleanly', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-electron-'));
  const dataDir = path.join(folder, 'data');
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const own = { GROUNDCTL_DATA_DIR: dataDir, GROUNDCTL_NODE: process.execPath };
  // Does not use the keychain of the person who runs the tests.
  const key = { GROUNDCTL_KEY_SOURCE: 'file', GROUNDCTL_KEY_FILE: path.join(folder, 'test.key') };
  const env = { ...process.env, ...own, ...key } as Record<string, string>;
  const args = [...sandbox, `--user-data-dir=${folder}`, repositoryRoot];
  try {
    const desktop = await _electron.launch({ executablePath: program ?? '', args, env });
    const window = await desktop.firstWindow();
    await window.locator('nav a').first().waitFor();
    expect(await window.evaluate('[typeof require, typeof process]')).toEqual(['undefined', 'undefined']);
    expect(await window.evaluate('window.groundControlDesktop.version()')).toBe(
      JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')).version,
    );
    await window.evaluate("void (location.href = 'file:///etc/passwd')");
    expect(new URL(window.url()).hostname).toBe('127.0.0.1');
    await desktop.close();
    expect(existsSync(path.join(dataDir, 'runtime.json'))).toBe(false);
  } finally {
    killLeftovers(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});
