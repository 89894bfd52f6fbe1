import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { installPinnedTool, type ToolHost } from '../compose/tool-host.ts';
import { type InstallProgress, type LocatedTool, TofuError } from '../drivers/tofu/index.ts';
import { readSettings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import type { Flags } from './flags.ts';

/** Installs the pinned OpenTofu into a data folder and prints progress. */
export async function runTofuInstall(flags: Flags): Promise<number> {
  const { dataDir, toolPath } = readSettings(process.env, flags);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const host = { dataDir, home: homedir(), env: process.env, settingPath: toolPath };
  const tool = await bringTool(host, (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`${tool.name} ${tool.version} is at ${tool.path}\n`);
  return 0;
}

/** Installs the pinned tool and prints progress. Throws `StartError` when it cannot be installed. */
export function bringTool(host: ToolHost, say: (line: string) => void): Promise<LocatedTool> {
  return installPinnedTool(host, createProgress(say)).catch((error: unknown) => {
    throw error instanceof TofuError ? new StartError(error.message) : error;
  });
}

const stepBytes = 8 * 1_048_576;

/** Limits progress to an occasional line. */
function createProgress(say: (line: string) => void): (progress: InstallProgress) => void {
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
