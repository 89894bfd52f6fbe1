import { bounds } from './bounds.ts';
import { GitError, plainServerText, refused } from './git-error.ts';
import { type HttpClient, mediaType } from './http-client.ts';
import { failureOfStatus } from './http-failure.ts';
import { delimiterPacket, flushPacket, type Packet, packet, packetText, readPackets } from './pkt-line.ts';
import { type ListedRef, parseRefLine, unknownCommit } from './ref-list.ts';
import { agent, type Remote } from './remote-discovery.ts';

/** The refs under any of these prefixes; all of them for an empty list. */
export async function listRefs(http: HttpClient, remote: Remote, prefixes: readonly string[]): Promise<ListedRef[]> {
  if (remote.version === 0) {
    const isWanted = (name: string) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
    return remote.refs.filter((ref) => isWanted(ref.name));
  }
  const wanted = ['peel', 'symrefs', ...prefixes.map((prefix) => `ref-prefix ${prefix}`)];
  const body = command(remote, 'ls-refs', wanted);
  const refs: ListedRef[] = [];
  await post(http, remote, { body, maxBytes: bounds.refListBytes }, (part) => {
    if (part.kind !== 'data') return;
    const text = packetText(part.bytes);
    if (text.startsWith('ERR ')) throw failureOfServer(text.slice(4), undefined);
    const ref = parseRefLine(text);
    if (ref) refs.push(ref);
  });
  return refs;
}

export type FetchRequest = { want: string; onLine: (text: string) => void };

/**
 * Fetches one object with everything one commit needs, without history, and answers the pack. Only reading the commit
 * from it proves that the server gave what was asked for. A server that refuses the id: `source_ref_not_found`.
 */
export async function fetchPack(http: HttpClient, remote: Remote, request: FetchRequest): Promise<Buffer> {
  if (remote.version === 2) {
    const wanted = ['no-progress', 'ofs-delta', 'deepen 1', `want ${request.want}`, 'done'];
    return collectPack(http, remote, command(remote, 'fetch', wanted), request);
  }
  for (const needed of ['shallow', 'side-band-64k']) {
    if (remote.capabilities.has(needed)) continue;
    throw refused(`The Git server is too old for this: it lacks "${needed}". Update it to Git 1.6 or later.`);
  }
  const format = remote.capabilities.has('object-format') ? ` object-format=${remote.format}` : '';
  const want = packet(`want ${request.want} side-band-64k ofs-delta no-progress${format} agent=${agent}`);
  return collectPack(http, remote, `${want}${packet('deepen 1')}${flushPacket}${packet('done')}`, request);
}

/** A version 2 request: the command, its capabilities, then its arguments. */
function command(remote: Remote, name: string, args: readonly string[]): string {
  const format = remote.capabilities.has('object-format') ? packet(`object-format=${remote.format}`) : '';
  const head = `${packet(`command=${name}`)}${packet(`agent=${agent}`)}${format}`;
  return `${head}${delimiterPacket}${args.map(packet).join('')}${flushPacket}`;
}

type Post = { body: string; maxBytes: number };

async function post(http: HttpClient, remote: Remote, { body, maxBytes }: Post, onPacket: (part: Packet) => void) {
  const response = await http.send({
    method: 'POST',
    url: new URL(`${remote.base}/git-upload-pack`),
    headers: {
      ...remote.headers,
      accept: 'application/x-git-upload-pack-result',
      'content-type': 'application/x-git-upload-pack-request',
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
    maxBytes,
  });
  if (response.status >= 300 && response.status < 400) {
    throw refused(
      'The Git server redirects in the middle of a fetch, which is not followed. Use the address it leads to.',
    );
  }
  const failure = response.status === 200 ? undefined : failureOfStatus(response.status, remote.hasCredential);
  if (failure) throw failure;
  if (mediaType(response) !== 'application/x-git-upload-pack-result') {
    throw new GitError('source_not_git', 'The server does not answer in the Git protocol.');
  }
  await readPackets(response.body, onPacket);
}

const band = { pack: 1, progress: 2, fatal: 3 } as const;

/**
 * Both versions put lines of agreement first (`shallow`, `NAK`, section names) and then the pack in side bands. In
 * version 2 the line `packfile` divides them; in version 0 the line `NAK` does.
 */
async function collectPack(http: HttpClient, remote: Remote, body: string, request: FetchRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const divider = remote.version === 2 ? 'packfile' : 'NAK';
  let isPack = false;
  const onBand = (bytes: Buffer) => {
    const content = bytes.subarray(1);
    if (bytes[0] === band.pack) chunks.push(content);
    else if (bytes[0] === band.progress) request.onLine(plainServerText(content));
    else throw failureOfServer(content, request.want);
  };
  await post(http, remote, { body, maxBytes: bounds.packBytes }, (part) => {
    if (part.kind !== 'data') return;
    if (isPack) return onBand(part.bytes);
    const text = packetText(part.bytes);
    if (text.startsWith('ERR ')) throw failureOfServer(text.slice(4), request.want);
    isPack = text === divider;
  });
  if (chunks.length === 0) throw new GitError('source_sync_failed', 'The Git server sent no objects. Try again.');
  return Buffer.concat(chunks);
}

const unknownObject = /not our ref|not.*advertised|unadvertised|no such|bad object|not a valid/i;

function failureOfServer(text: Buffer | string, want: string | undefined): GitError {
  const words = plainServerText(text);
  if (want !== undefined && unknownObject.test(words)) return unknownCommit(want);
  return new GitError('source_sync_failed', `The Git server ended the request: ${words}`);
}
