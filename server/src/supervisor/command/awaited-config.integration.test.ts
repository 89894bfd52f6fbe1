import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool, spawnDetached } from '../../os/spawn.ts';
import { makeFifos } from '../../runner/contract/fifo-source.ts';
import { configFifoIn } from '../../runner/contract/layout.ts';
import { canBeAwaited, writeAwaitedConfig } from './awaited-config.ts';

let dir: string;
let folder: string;
let fifo: string;
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'awaited-'));
  folder = path.join(dir, 'cli');
  fifo = configFifoIn(folder);
  mkdirSync(folder);
  await makeFifos([fifo]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const text = 'provider_installation {}\n';
const read = `cat "$0" >"$1"`;

/** Starts a reader and resolves once it has opened the FIFO, which `isThere` finds in its open files. */
async function reader(script: string) {
  const out = path.join(dir, 'out');
  const child = await spawnDetached({
    file: '/bin/sh',
    argv: ['-c', script, fifo, out],
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await expect.poll(() => holdersOf(fifo).length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(0);
  return { ended: child.exited, text: () => (existsSync(out) ? readFileSync(out, 'utf8') : '') };
}

/** Returns the other processes that have a file open. */
const holdersOf = (file: string): string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && hasOpen(pid, file));

function hasOpen(pid: string, file: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file);
  } catch {
    return false;
  }
}

test('a reader waits at its first read, and gets the whole text once it is given', async () => {
  const config = writeAwaitedConfig(folder, text);
  const waiting = await reader(`exec 3<"$0"; exec 3<&-; ${read}`);
  expect(waiting.text()).toBe('');
  config.give();
  expect((await waiting.ended).code).toBe(0);
  expect(waiting.text()).toBe(text);
});

test('a late or repeated reader gets the same text', async () => {
  const config = writeAwaitedConfig(folder, text);
  config.give();
  for (const _ of [1, 2]) {
    const late = await runTool({ file: '/bin/cat', argv: [fifo], env: {}, timeoutMs: 10_000 });
    expect(late.stdout).toBe(text);
  }
});

test('a reader that looked up the FIFO and opens it after all others have closed gets the text too', async () => {
  const config = writeAwaitedConfig(folder, text);
  // The same FIFO, as seen by a process that looked up its name before the file replaced it.
  const link = path.join(dir, 'found');
  linkSync(fifo, link);
  config.give();
  const late = await runTool({ file: '/bin/cat', argv: [link], env: {}, timeoutMs: 10_000 });
  expect(late).toMatchObject({ stdout: text, timedOut: false });
  config.close();
  config.close();
});

test('without a text it leaves no file, and a waiting reader gets the end of the file', async () => {
  const config = writeAwaitedConfig(folder, text);
  const waiting = await reader(read);
  config.close();
  expect((await waiting.ended).code).toBe(0);
  expect(waiting.text()).toBe('');
  expect(readdirSync(dir)).toEqual(['out']);
  config.close();
});

test('accepts only a text that every FIFO takes in one write', () => {
  expect(canBeAwaited('x'.repeat(4_096))).toBe(true);
  expect(canBeAwaited('x'.repeat(4_097))).toBe(false);
});
