import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { hasDisplay } from '#shared/display';

export type DesktopHost = {
  /** Folder of the product, which contains `node_modules` and `dist`. */
  root: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  isRoot: boolean;
  downloadMs?: number;
};
/** Exit code of the desktop, or the reason why there was none. */
type Attempt = { code: number } | { refusal: string };

const defaultDownloadMs = 60_000;
/** An Electron that cannot run here exits within this time; one that ran longer was closed by a person. */
const failsWithinMs = 15_000;

/** Reason why no window can be opened; undefined when one can. */
export function findUnavailableReason({ root, env, platform, isRoot }: DesktopHost): string | undefined {
  if (!hasDisplay(env, platform)) return 'There is no display for a desktop window.';
  if (platform === 'linux' && isRoot) return 'Electron does not run as root.';
  if (!existsSync(path.join(electronFolder(root), 'install.js'))) return 'Electron is not installed.';
  return undefined;
}

/** Opens the desktop and waits for its end. Electron is downloaded when it is missing. */
export async function tryDesktop(host: DesktopHost): Promise<Attempt> {
  const unavailableReason = findUnavailableReason(host) ?? (await bringElectron(host));
  if (unavailableReason) return { refusal: unavailableReason };
  await run(process.execPath, [path.join(host.root, 'server/build.mjs'), '--desktop'], { stdio: 'inherit' });
  const startedAt = performance.now();
  // Supervisors use the Node that runs this process.
  const env = { ...host.env, GROUNDCTL_NODE: process.execPath };
  const { code, signal } = await run(electronProgram(host.root) ?? '', [host.root], { stdio: 'inherit', env });
  const couldNotRun = signal !== null || code === null || code > 125;
  if (couldNotRun && performance.now() - startedAt < failsWithinMs)
    return { refusal: `Electron cannot run on this system (${signal ?? code ?? 'not started'}).` };
  return { code: code ?? 1 };
}

const electronFolder = (root: string): string => path.join(root, 'node_modules/electron');

/** The Electron program, when it has been downloaded. */
function electronProgram(root: string): string | undefined {
  const named = path.join(electronFolder(root), 'path.txt');
  if (!existsSync(named)) return undefined;
  const program = path.join(electronFolder(root), 'dist', readFileSync(named, 'utf8'));
  return existsSync(program) ? program : undefined;
}

/**
 * Runs Electron's own installer in a child that is ended when it takes too long: importing the module would block until
 * the download ends.
 */
async function bringElectron({ root, env, downloadMs = defaultDownloadMs }: DesktopHost): Promise<string | undefined> {
  if (electronProgram(root)) return undefined;
  const timeout = AbortSignal.timeout(downloadMs);
  const installer = path.join(electronFolder(root), 'install.js');
  await run(process.execPath, [installer], { stdio: 'ignore', env, signal: timeout, killSignal: 'SIGKILL' });
  if (electronProgram(root)) return undefined;
  return timeout.aborted
    ? `Electron could not be downloaded within ${Math.round(downloadMs / 1_000)} s.`
    : 'Electron could not be downloaded.';
}

type Ended = { code: number | null; signal: NodeJS.Signals | null };

async function run(file: string, argv: string[], options: Parameters<typeof spawn>[2]): Promise<Ended> {
  const child = spawn(file, argv, options);
  // Ctrl-C reaches the child too, and its end is awaited; a signal to this process alone is passed on.
  const stay = () => undefined;
  const hand = () => child.kill('SIGTERM');
  process.on('SIGINT', stay).on('SIGTERM', hand);
  try {
    const [code, signal] = await once(child, 'exit');
    return { code, signal };
  } catch {
    // Not started, or ended by its timeout.
    return { code: null, signal: null };
  } finally {
    process.off('SIGINT', stay).off('SIGTERM', hand);
  }
}
