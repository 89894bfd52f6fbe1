import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type Bound, createOperatorServer } from '../kernel/http/index.ts';
import { rememberPort } from '../kernel/runtime-files.ts';
import { isLoopbackHost, lastPort, type Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import type { App } from './app.ts';

type Http = App['http'];
type Listening = { settings: Settings; bound: Bound; cleanups: (() => void | Promise<void>)[] };

/** Returns the server's own certificate, if configured. Throws `StartError` when it cannot be used. */
export function readCertificate({ tls }: Pick<Settings, 'tls'>): { cert: string; key: string } | undefined {
  if (!tls) return undefined;
  try {
    const pair = { cert: readFileSync(tls.certFile, 'utf8'), key: readFileSync(tls.keyFile, 'utf8') };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new StartError(
      `The certificate in ${tls.certFile} cannot be used with the key in ${tls.keyFile}: ${(error as Error).message}. Both take PEM.`,
    );
  }
}

/** Listens, fills in `bound`, and returns the operator's address when it is a separate one. Throws `StartError`. */
export async function listen(http: Http, { settings, bound, cleanups }: Listening): Promise<string | undefined> {
  // Port 0 means the last port of this data folder when it is free, so that links and sessions survive a restart.
  const wanted = settings.port === 0 ? [lastPort(settings.dataDir) ?? 0, 0] : [settings.port];
  await listenOnFirstFree(http, settings.host, wanted);
  const { port } = http.server.address() as AddressInfo;
  bound.port = port;
  rememberPort(settings.dataDir, port);
  const scheme = settings.tls ? 'https' : 'http';
  const name = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  bound.baseUrl = settings.publicUrl ?? `${scheme}://${name}:${port}`;
  if (settings.operatorPort !== undefined) {
    bound.operatorPort = await listenForOperator(http, settings.operatorPort, cleanups);
    return `http://127.0.0.1:${bound.operatorPort}`;
  }
  return settings.isLocal ? undefined : localAddress(settings, port);
}

/** Address at which programs on this machine reach the operator routes of a public server. A certificate does not cover that name. */
function localAddress({ host, tls }: Settings, port: number): string | undefined {
  if (tls) return undefined;
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === 'localhost')
    return `http://127.0.0.1:${port}`;
  return isLoopbackHost(host) ? `http://[::1]:${port}` : undefined;
}

async function listenForOperator(http: Http, port: number, cleanups: Listening['cleanups']): Promise<number> {
  const server: Server = createOperatorServer(http);
  cleanups.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new StartError(`Port ${port} is taken. Choose another in GROUNDCTL_OPERATOR_PORT, or 0 for any.`)
          : error,
      ),
    );
    server.listen({ host: '127.0.0.1', port }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function listenOnFirstFree(http: Http, host: string, [port = 0, ...others]: readonly number[]): Promise<void> {
  try {
    await http.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`${host} is not an address of this machine. Choose another with --host.`);
    if (code === 'EACCES')
      throw new StartError(`Port ${port} needs rights that this account does not have. Choose another with --port.`);
    if (code !== 'EADDRINUSE') throw error;
    if (others.length === 0) throw new StartError(`Port ${port} is taken. Choose another with --port, or 0 for any.`);
    await listenOnFirstFree(http, host, others);
  }
}
