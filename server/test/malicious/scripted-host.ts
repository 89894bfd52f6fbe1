import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One packet of Git's protocols (gitprotocol-common), text or bytes. */
export const line = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
};
export const flush = Buffer.from('0000');
const largestBand = 65_000;

/** Bytes in side bands, as a fetch gives its pack. */
export function banded(bytes: Buffer, band = 1): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += largestBand)
    parts.push(line(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + largestBand)])));
  return Buffer.concat(parts);
}

export type Answer = {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: Buffer | string | Iterable<Buffer>;
};

/**
 * Responses of one repository: to the capability request, for its refs, and for its objects. Each has a good default.
 */
export type Script = {
  /** Target of `main`. */
  head: string;
  info?: Answer;
  refs?: Answer;
  fetch?: Answer;
  pack?: () => Buffer;
};

export const capabilities = ['agent=git/crafted', 'ls-refs=unborn', 'fetch=shallow', 'object-format=sha1'];
export const advertisement = (lines: readonly string[] = ['version 2', ...capabilities]): Buffer =>
  Buffer.concat([line('# service=git-upload-pack\n'), flush, ...lines.map((text) => line(`${text}\n`)), flush]);
export const refList = (lines: readonly string[]): Buffer =>
  Buffer.concat([...lines.map((text) => line(`${text}\n`)), flush]);
export const packAnswer = (pack: Buffer): Buffer => Buffer.concat([line('packfile\n'), banded(pack), flush]);

type ScriptedHost = { url: string; close: () => Promise<void> };

/**
 * A Git server over real HTTP in protocol version 2 that answers as its scripts specify, repository `/0`, `/1` and so
 * on.
 */
export async function startScriptedHost(scripts: readonly Script[]): Promise<ScriptedHost> {
  // On a busy machine a client may read one answer for longer than the default, before it sends its next request.
  const options = { keepAliveTimeout: 60_000 };
  const server = http.createServer(options, (request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, at, rest] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const script = scripts[Number(at)];
    response.on('error', () => undefined);
    if (!script) return void response.writeHead(404).end();
    if (request.method === 'GET' && rest?.startsWith('/info/refs'))
      return say(response, {
        type: 'application/x-git-upload-pack-advertisement',
        body: advertisement(),
        ...script.info,
      });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const type = 'application/x-git-upload-pack-result';
    if (Buffer.concat(chunks).includes('command=ls-refs'))
      return say(response, { type, body: refList([`${script.head} refs/heads/main`]), ...script.refs });
    say(response, { type, body: packAnswer(script.pack?.() ?? Buffer.alloc(0)), ...script.fetch });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function say(response: ServerResponse, { status = 200, type = '', headers = {}, body = '' }: Answer): void {
  response.writeHead(status, { 'content-type': type, ...headers });
  if (typeof body === 'string' || Buffer.isBuffer(body)) return void response.end(body);
  const parts = body[Symbol.iterator]();
  const more = (): void => {
    for (;;) {
      const next = parts.next();
      if (next.done || response.destroyed) return void response.end();
      if (!response.write(next.value)) return void response.once('drain', more);
    }
  };
  more();
}
