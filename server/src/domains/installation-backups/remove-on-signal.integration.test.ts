import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-signal-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const helper = fileURLToPath(new URL('./remove-on-signal.ts', import.meta.url));
const script = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { removingOnSignal } from ${JSON.stringify(helper)};
const folder = process.argv[1];
await removingOnSignal(folder, async () => {
  mkdirSync(folder);
  writeFileSync(folder + '/ledger.db', '');
  process.stdout.write('filled');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});`;

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('removes the folder when %s ends the process', async (signal) => {
  const folder = path.join(root, 'staged');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder]);
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  expect(existsSync(folder)).toBe(true);
  child.kill(signal);
  expect(await exited).toEqual([null, signal]);
  expect(existsSync(folder)).toBe(false);
});
