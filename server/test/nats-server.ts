import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { tempDir } from './harness.ts';

const cache = process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache');
/** Built by `resources/nats/build.sh`. */
const program = path.join(cache, 'groundctl/nats/2.15.2/nats-server');

export const hasNatsServer = existsSync(program);
if (!hasNatsServer) console.warn('SKIPPED: nats-server is not built; run resources/nats/build.sh');

export type NatsServer = {
  /** Address of clients. */
  readonly url: string;
  readonly port: number;
  /** Folder that restarts keep. */
  readonly folder: string;
  /** Starts it again on the same folder and port. */
  start(): Promise<void>;
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
};

export type Listening = { listen: string; dataDir: string };

/**
 * Starts a real nats-server on a random loopback port, with a temporary folder. `configure` returns its configuration;
 * the default is a server with streams and without accounts.
 */
export async function startNatsServer(
  configure: (input: Listening) => string = ({ listen, dataDir }) =>
    `listen: "${listen}", jetstream: { store_dir: "${dataDir}/streams" }`,
  { port: chosen, scheme = 'nats', host = '127.0.0.1' }: { port?: number; scheme?: 'nats' | 'tls'; host?: string } = {},
): Promise<NatsServer> {
  const folder = tempDir();
  const port = chosen ?? (await freePort());
  const dataDir = path.join(folder, 'data');
  const configFile = path.join(folder, 'nats.conf');
  mkdirSync(dataDir);
  writeFileSync(configFile, configure({ listen: `127.0.0.1:${port}`, dataDir }), { mode: 0o600 });
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const started = spawn(program, ['-c', configFile, '-l', path.join(folder, 'nats.log')], { stdio: 'ignore' });
    child = started;
    // A test that fails before its cleanup leaves no server behind.
    const endWithTest = () => started.kill('SIGKILL');
    process.once('exit', endWithTest);
    started.once('exit', () => process.off('exit', endWithTest));
    while (!(await accepts(port))) {
      if (started.exitCode !== null) throw new Error(readFileSync(path.join(folder, 'nats.log'), 'utf8'));
      await sleep(10);
    }
  }
  async function end(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  await start();
  return {
    url: `${scheme}://${host}:${port}`,
    port,
    folder,
    start,
    kill: end,
    async close() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts three servers that form a cluster. `configure` is called for each. */
export async function startNatsCluster(
  configure: (input: Listening & { cluster: { serverName: string; listen: string; routes: string[] } }) => string,
  options: { scheme?: 'nats' | 'tls' } = {},
): Promise<NatsServer[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const routes = ports.map((port) => `127.0.0.1:${port}`);
  return Promise.all(
    ports.map((port, at) =>
      startNatsServer(
        (input) => configure({ ...input, cluster: { serverName: `nats-${at}`, listen: `127.0.0.1:${port}`, routes } }),
        options,
      ),
    ),
  );
}

/** Reports whether the bytes are in a file of the folder or below it. */
export function holdsBytes(folder: string, bytes: Buffer): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(path.join(entry.parentPath, entry.name)).includes(bytes));
}

async function accepts(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
