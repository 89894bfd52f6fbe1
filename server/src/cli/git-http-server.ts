import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** The parts of a running `git http-backend` that this file uses. */
type GitChild = {
  stdin: Writable;
  stdout: Readable;
  kill: (signal?: NodeJS.Signals) => boolean;
  on: (event: 'error', listener: (error: Error) => void) => unknown;
};
/** Starts a program with pipes for its input and output. */
export type SpawnGit = (
  command: string,
  args: readonly string[],
  options: { env: Record<string, string>; stdio: ['pipe', 'pipe', 'ignore'] },
) => GitChild;

/** `root` is the folder of the served repositories, each below its relative path. */
type GitServerOptions = { root: string; spawn: SpawnGit };
export type GitServer = { url: string; close: () => Promise<void> };

/** Serves Git repositories over smart HTTP on 127.0.0.1 and a free port, for reading, with the real `git http-backend`. */
export async function startGitHttpServer(options: GitServerOptions): Promise<GitServer> {
  const backend = createGitHandler(options);
  const server = createServer(backend.handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    backend.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Creates the request handler of such a server for use behind another one; `close` ends the children that still run. */
export function createGitHandler({ root, spawn }: GitServerOptions): { handle: RequestListener; close: () => void } {
  const running = new Set<GitChild>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const env = cgiEnvironment(root, request);
    if (!env) {
      response.writeHead(400).end();
      return;
    }
    const child = spawn('git', ['http-backend'], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    running.add(child);
    child.on('error', () => response.writeHead(500).end());
    child.stdin.on('error', () => undefined);
    child.stdout.once('close', () => running.delete(child));
    response.once('close', () => child.kill());
    request.pipe(child.stdin);
    relay(child.stdout, response);
  };
  const close = () => {
    for (const child of running) child.kill('SIGKILL');
  };
  return { handle, close };
}

/** Returns the environment of a CGI program (RFC 3875 §4.1), without the person's Git configuration; undefined for a bad path. */
function cgiEnvironment(root: string, request: IncomingMessage): Record<string, string> | undefined {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  const pathInfo = url ? decodePath(url.pathname) : undefined;
  if (!url || pathInfo === undefined) return undefined;
  const { headers } = request;
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    PATH_INFO: pathInfo,
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: headers['content-type'] ?? '',
    REMOTE_ADDR: '127.0.0.1',
    SERVER_PROTOCOL: 'HTTP/1.1',
  };
  const optional = {
    CONTENT_LENGTH: headers['content-length'],
    GIT_PROTOCOL: headers['git-protocol'],
    HTTP_CONTENT_ENCODING: headers['content-encoding'],
  };
  for (const [name, value] of Object.entries(optional)) if (typeof value === 'string') env[name] = value;
  return env;
}

/** Decodes a path for a program. Undefined for malformed escapes and for NUL, which no environment variable can hold. */
function decodePath(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

const headEnd = '\r\n\r\n';

/** Turns the CGI answer (header lines, a blank line, the body; RFC 3875 §6) into an HTTP answer. */
function relay(output: Readable, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(headEnd);
    if (end < 0) return;
    output.off('data', onData);
    writeHead(head.toString('latin1', 0, end), response);
    response.write(head.subarray(end + headEnd.length));
    output.pipe(response);
  };
  output.on('data', onData);
  output.once('end', () => {
    if (!response.headersSent) response.writeHead(500).end();
  });
}

function writeHead(head: string, response: ServerResponse): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const cut = line.indexOf(':');
    const [name, value] = [line.slice(0, cut).toLowerCase(), line.slice(cut + 1).trim()];
    if (name === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
