import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { timed } from './median.ts';

/** Git without the machine's configuration and without prompts. */
const environment = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** Not `execFileSync`: the origin is served by this process, so Git must run beside it. */
async function git(args: readonly string[]): Promise<void> {
  const child = spawn('git', args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}.`);
}

/** Returns the milliseconds of `git clone --depth 1` of an address into an empty folder, checkout included. */
export async function cloneSample(url: string): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-clone-'));
  try {
    return (await timed(() => git(['clone', '-q', '--depth', '1', url, path.join(folder, 'clone')]))).ms;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the milliseconds of `git ls-remote` of an address. */
export async function listSample(url: string): Promise<number> {
  return (await timed(() => git(['ls-remote', '-q', url]))).ms;
}
