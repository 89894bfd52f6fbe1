import { mkdtempSync, rmSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { connectProvider } from '../src/drivers/tofu/plugin/client.ts';
import { frameMessage, type PluginProtocol } from '../src/drivers/tofu/plugin/protocol.ts';
import {
  type ProviderEndpoint,
  type ProviderProcesses,
  type ProviderServer,
  serveProvider,
} from '../src/drivers/tofu/plugin/server.ts';

let dir: string;
let cleanups: (() => void)[];

/** Removes what a test has opened after it. */
export function prepareRelays(): void {
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'plugin-'));
    cleanups = [];
  });
  afterEach(() => {
    for (const cleanup of cleanups.reverse()) cleanup();
    rmSync(dir, { recursive: true });
  });
}

export const onCleanup = (cleanup: () => void): void => void cleanups.push(cleanup);

/** Neither end of the relay is limited by the library. */
const ends = { maxSessionMemory: 1_024 };

export type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
let sockets = 0;
export function newSocket(): string {
  sockets += 1;
  return path.join(dir, String(sockets));
}

/** Starts a provider of this process; `sessions` are those that it has accepted. */
export async function startProvider(answer: Answer): Promise<{ socket: string; sessions: ServerHttp2Session[] }> {
  const server = createServer(ends);
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    answer(stream, headers);
  });
  const socket = newSocket();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  cleanups.push(() => {
    server.close();
    for (const session of sessions) session.destroy();
  });
  return { socket, sessions };
}

/** Processes that are all the same provider, with what happened to them. */
export async function processesAt(socket: string): Promise<ProviderProcesses & { claims: number; releases: number }> {
  const session = await connectProvider(socket);
  cleanups.push(() => session.destroy());
  const lease = async () => ({
    session,
    release: () => {
      processes.releases += 1;
    },
  });
  const processes = {
    claims: 0,
    releases: 0,
    share: lease,
    claim() {
      processes.claims += 1;
      return lease();
    },
  };
  return processes;
}

type Relay = {
  server: ProviderServer;
  endpoint: ProviderEndpoint;
  caller: ClientHttp2Session;
  newCaller(): ClientHttp2Session;
};

export async function relayTo(processes: ProviderProcesses | undefined, protocol: PluginProtocol = 6): Promise<Relay> {
  const endpoint: ProviderEndpoint = { protocol, schema: Buffer.from('the schema'), processes };
  const socket = newSocket();
  const server = await serveProvider(socket, endpoint);
  cleanups.push(() => server.close());
  const newCaller = () => {
    const session = connect('http://localhost', { createConnection: () => createConnection(socket), ...ends });
    session.on('error', () => {});
    cleanups.push(() => session.destroy());
    return session;
  };
  return { server, endpoint, caller: newCaller(), newCaller };
}

type Received = { headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders; bytes: Buffer; reset: number };

export function request(session: ClientHttp2Session, method: string) {
  const stream = session.request({
    ':method': 'POST',
    ':path': method.startsWith('/') ? method : `/tfplugin6.Provider/${method}`,
    'content-type': 'application/grpc',
    'x-own': 'sent along',
    te: 'trailers',
  });
  stream.on('error', () => {});
  return stream;
}

/** Makes one call and reads its answer to the end. */
export function call(
  session: ClientHttp2Session,
  method: string,
  message: Uint8Array = new Uint8Array(),
): Promise<Received> {
  const stream = request(session, method);
  const received: Received = { headers: {}, trailers: {}, bytes: Buffer.alloc(0), reset: 0 };
  const chunks: Buffer[] = [];
  stream.on('response', (headers) => {
    received.headers = headers;
  });
  stream.on('trailers', (trailers) => {
    received.trailers = trailers;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end(frameMessage(message));
  return new Promise((resolve) =>
    stream.once('close', () => resolve({ ...received, bytes: Buffer.concat(chunks), reset: stream.rstCode })),
  );
}

export const statusOf = ({ headers, trailers }: Received): unknown => headers['grpc-status'] ?? trailers['grpc-status'];
export const head = { ':status': 200, 'content-type': 'application/grpc' };
export const ok = { 'grpc-status': '0' };

/** Sends a message and trailers. */
export function answerWith(stream: ServerHttp2Stream, bytes: Buffer, trailers: IncomingHttpHeaders = ok): void {
  stream.respond(head, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(bytes);
}

export const echo: Answer = (stream) => {
  stream.respond(head, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(ok));
  stream.pipe(stream);
};

export async function relayOf(answer: Answer): Promise<Relay & { socket: string; sessions: ServerHttp2Session[] }> {
  const provider = await startProvider(answer);
  return { ...(await relayTo(await processesAt(provider.socket))), ...provider };
}
