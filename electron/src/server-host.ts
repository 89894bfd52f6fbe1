import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { app } from 'electron';
import {
  createLog,
  defaultDataDir,
  type Log,
  type RunningServer,
  readSettings,
  requireKnownLedger,
  StartError,
  startServer,
} from '#server/index';
import { installSupervisor } from './supervisor-home.ts';

const maxLogBytes = 10 * 1_048_576;

export const logFile = (): string => path.join(app.getPath('logs'), 'server.log');

/** The log of the desktop, in a file because its stderr is not visible. The previous log is kept when it has grown. */
export function openLog(): Log {
  const file = logFile();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (existsSync(file) && statSync(file).size > maxLogBytes) renameSync(file, `${file}.1`);
  return createLog('info', file);
}

/**
 * An installed desktop keeps its data in its own folder; from a checkout it uses the same folder as the browser's
 * server.
 */
function dataDir(): string {
  if (process.env['GROUNDCTL_DATA_DIR']) return path.resolve(process.env['GROUNDCTL_DATA_DIR']);
  if (app.isPackaged) return path.join(app.getPath('userData'), 'data');
  return defaultDataDir(process.env, homedir(), process.platform);
}

/** The Node that supervisors run in: they outlive the desktop, so it is not Electron's own. */
function shippedNode(): string {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const file = app.isPackaged
    ? path.join(process.resourcesPath, 'node', name)
    : process.env['GROUNDCTL_NODE'] ||
      path.join(app.getAppPath(), 'node_modules', `node-${system}-${process.arch}`, 'bin', name);
  if (!existsSync(file))
    throw new StartError(`The Node program that Runs need is missing: ${file}. Install Ground Control again.`);
  return file;
}

/**
 * Returns the program by which a command starts this desktop again, with the same folder of its own files, which a
 * second start looks in.
 */
function ownProgram() {
  const switches = process.argv.slice(1).filter((argument) => /^--(?:no-sandbox$|user-data-dir=)/.test(argument));
  return { program: process.execPath, args: [...switches, ...(app.isPackaged ? [] : [app.getAppPath()])] };
}

/** Starts the server inside this process, only for this machine. Throws `StartError` or `SettingError`. */
export async function startHost(log: Log): Promise<RunningServer> {
  // The window connects to the server directly, whatever proxy settings the shell has for a headless server.
  const env = { ...process.env, GROUNDCTL_PUBLIC_URL: undefined };
  const settings = readSettings(env, { dataDir: dataDir(), host: '127.0.0.1', port: '0', isPersonal: true });
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  requireKnownLedger(settings.dataDir);
  const supervisor = await installSupervisor({
    dataDir: settings.dataDir,
    serverDir: path.join(app.getAppPath(), 'dist/server'),
    nodeFile: shippedNode(),
    version: app.getVersion(),
  });
  return startServer({ settings, log, supervisor, prefersKeychain: true, desktop: ownProgram() });
}
