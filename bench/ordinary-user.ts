import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { removeTree } from '#server/kernel/remove-tree';
import { killLeftovers } from '../e2e/fixtures/leftovers.ts';
import { cacheDir } from '../e2e/fixtures/tool.ts';
import type { CaseResult } from './median.ts';

/** A user that owns nothing. */
const ordinaryUser = 65_534;

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Runs cases of the benchmark in a process of an ordinary user, with its server and tools, and returns their results.
 * The process gets a copy of the tool cache, because an ordinary user cannot read the home folder of root. Throws where
 * it cannot read this checkout.
 */
export async function measureAsOrdinaryUser(argv: readonly string[], entry: string): Promise<CaseResult[]> {
  const owner = { uid: ordinaryUser, gid: ordinaryUser };
  const folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-ordinary-'));
  try {
    const readable = [process.execPath, entry, path.join(import.meta.dirname, 'run.ts')];
    const probe = spawnSync(
      process.execPath,
      ['-e', 'process.argv.slice(1).forEach((file) => fs.accessSync(file))', ...readable],
      owner,
    );
    if (probe.status !== 0) {
      throw new Error(
        'An ordinary user cannot read this checkout or its Node. Run the benchmark from a folder that others can read.',
      );
    }
    const home = {
      HOME: path.join(folder, 'home'),
      TMPDIR: path.join(folder, 'tmp'),
      XDG_CACHE_HOME: path.join(folder, 'cache'),
    };
    copyToolCache(path.join(home.XDG_CACHE_HOME, path.basename(cacheDir)));
    for (const one of Object.values(home)) mkdirSync(one, { recursive: true });
    for (const one of [folder, ...Object.values(home), path.join(home.XDG_CACHE_HOME, path.basename(cacheDir))]) {
      chownSync(one, ordinaryUser, ordinaryUser);
    }
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'run.ts'), ...argv], {
      ...owner,
      cwd: folder,
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    if (code !== 0) throw new Error('The benchmark of an ordinary user failed.');
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as CaseResult);
  } finally {
    killLeftovers(folder);
    removeTree(folder);
  }
}

function copyToolCache(target: string): void {
  for (const name of ['tofu', 'providers']) {
    const source = path.join(cacheDir, name);
    if (!existsSync(source)) continue;
    cpSync(source, path.join(target, name), { recursive: true, mode: constants.COPYFILE_FICLONE });
  }
}
