import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { readSettings } from '../kernel/settings.ts';
import type { InstallProgress } from '../tofu/index.ts';
import { installPinnedTool } from '../tool-host.ts';
import type { Flags } from './flags.ts';

/** Installs the pinned OpenTofu into a data folder, with progress. */
export async function runTofuInstall(flags: Flags): Promise<number> {
  const { dataDir, toolPath } = readSettings(process.env, flags);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const host = { dataDir, home: homedir(), env: process.env, settingPath: toolPath };
  const tool = await installPinnedTool(
    host,
    createProgress((line) => process.stdout.write(`${line}\n`)),
  );
  process.stdout.write(`${tool.name} ${tool.version} is at ${tool.path}\n`);
  return 0;
}

const stepBytes = 8 * 1_048_576;

/** Turns progress into a line now and then. */
export function createProgress(say: (line: string) => void): (progress: InstallProgress) => void {
  let nextBytes = 0;
  return (progress) => {
    if (progress.step === 'build') say(`building from source, which takes some minutes: ${progress.reason}`);
    if (progress.step === 'verify') say('checking the archive');
    if (progress.step !== 'download' || progress.receivedBytes < nextBytes) return;
    nextBytes = progress.receivedBytes + stepBytes;
    const total = progress.totalBytes === undefined ? '' : ` of ${Math.round(progress.totalBytes / 1e6)}`;
    say(`downloaded ${Math.round(progress.receivedBytes / 1e6)}${total} MB`);
  };
}
