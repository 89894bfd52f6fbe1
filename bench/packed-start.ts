import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { packProduct, removePacked, unpackBesideDependencies } from '../e2e/fixtures/packed/package.ts';
import { type CaseResult, compare, timed } from './median.ts';

const goal = 20;

/**
 * Time from `groundctl start` of the npm package until it says that it serves the dashboard, over one start of Node. The
 * data folder is in use already.
 */
export async function packedStart(samples: number): Promise<CaseResult[]> {
  const packed = packProduct();
  try {
    const folder = path.join(packed.folder, 'installed');
    unpackBesideDependencies(packed, folder);
    const program = path.join(folder, 'node_modules/.bin/groundctl');
    const dataDir = path.join(packed.folder, 'data');
    await startAndStop(program, dataDir);
    const times: { ours: number[]; node: number[] } = { ours: [], node: [] };
    for (let index = 0; index < samples; index += 1) {
      times.node.push((await timed(() => once(spawn(process.execPath, ['-e', '0']), 'exit'))).ms);
      times.ours.push(await startAndStop(program, dataDir));
    }
    return [compare('start of the npm package', times.ours, times.node, goal)];
  } finally {
    removePacked(packed);
  }
}

/** Returns the milliseconds until the command serves, without those of its stop. */
async function startAndStop(program: string, dataDir: string): Promise<number> {
  const env = { HOME: dataDir, PATH: '/usr/bin:/bin', GROUNDCTL_KEY_SOURCE: 'file' };
  const argv = [program, 'start', '--data-dir', dataDir];
  const start = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let output = '';
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Press Ctrl-C')) resolve();
    });
  });
  const ms = performance.now() - start;
  child.kill('SIGINT');
  const [code] = await exited;
  if (code !== 0) throw new Error(`groundctl start ended with ${code}: ${output}`);
  return ms;
}
