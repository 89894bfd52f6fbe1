import { bounds } from './bounds.ts';
import { endedByServer, GitError, plainServerText, refused } from './git-error.ts';
import type { HttpClient } from './http-client.ts';
import { delimiterPacket, flushPacket, packet, packetText, readPackets } from './pkt-line.ts';
import { unknownCommit } from './ref-list.ts';
import { agent, type Remote } from './remote-discovery.ts';
import { post } from './remote-post.ts';

/** `have` is a commit whose whole tree is stored here, so that only objects outside of it have to be sent. */
type FetchRequest = { want: string; have?: string | undefined; onLine: (text: string) => void };

/**
 * Fetches one object with everything that one commit needs, without history, and returns the pack. Only reading the
 * commit from it proves that the server sent the requested one. A server that refuses the id: `source_ref_not_found`.
 */
export async function fetchPack(http: HttpClient, remote: Remote, request: FetchRequest): Promise<Buffer> {
  if (remote.version === 2) return collectPack(http, remote, fetchCommand(remote, request), request);
  for (const needed of ['shallow', 'side-band-64k']) {
    if (remote.capabilities.has(needed)) continue;
    throw refused(`The Git server is too old for this: it lacks "${needed}". Update it to Git 1.6 or later.`);
  }
  const format = remote.capabilities.has('object-format') ? ` object-format=${remote.format}` : '';
  const want = packet(`want ${request.want} side-band-64k ofs-delta no-progress${format} agent=${agent}`);
  return collectPack(http, remote, `${want}${packet('deepen 1')}${flushPacket}${packet('done')}`, request);
}

/** Builds the command of version 2, its capabilities, then its arguments. */
function fetchCommand(remote: Remote, { want, have }: FetchRequest): string {
  const format = remote.capabilities.has('object-format') ? packet(`object-format=${remote.format}`) : '';
  const head = `${packet('command=fetch')}${packet(`agent=${agent}`)}${format}`;
  // The stored commit has no history either: without `shallow` the server would rely on it.
  const known = have === undefined ? [] : ['thin-pack', `shallow ${have}`, `have ${have}`];
  const wanted = ['no-progress', 'ofs-delta', 'deepen 1', `want ${want}`, ...known, 'done'];
  return `${head}${delimiterPacket}${wanted.map(packet).join('')}${flushPacket}`;
}

/** Maximum number of a server's own lines that are passed on, because they are stored. */
const maxProgressLines = 100;

const band = { pack: 1, progress: 2, fatal: 3 } as const;

/**
 * Reads the response. Both versions send negotiation lines first (`shallow`, `NAK`, section names) and then the pack in
 * side bands. In version 2 the line `packfile` separates them; in version 0 the line `NAK` does.
 */
async function collectPack(http: HttpClient, remote: Remote, body: string, request: FetchRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const divider = remote.version === 2 ? 'packfile' : 'NAK';
  let isPack = false;
  let lineCount = 0;
  const reportLine = (content: Buffer) => {
    lineCount += 1;
    if (lineCount <= maxProgressLines) request.onLine(plainServerText(content));
  };
  const onBand = (bytes: Buffer) => {
    const content = bytes.subarray(1);
    if (bytes[0] === band.pack) chunks.push(content);
    else if (bytes[0] === band.progress) reportLine(content);
    else throw refusalOf(content, request.want);
  };
  await readPackets(await post(http, remote, { body, maxBytes: bounds.packBytes }), (part) => {
    if (part.kind !== 'data') return;
    if (isPack) return onBand(part.bytes);
    const text = packetText(part.bytes);
    if (text.startsWith('ERR ')) throw refusalOf(text.slice(4), request.want);
    isPack = text === divider;
  });
  if (chunks.length === 0) throw new GitError('source_sync_failed', 'The Git server sent no objects. Try again.');
  return Buffer.concat(chunks);
}

const unknownObject = /not our ref|not.*advertised|unadvertised|no such|bad object|not a valid/i;

const refusalOf = (text: Buffer | string, want: string): GitError =>
  unknownObject.test(plainServerText(text)) ? unknownCommit(want) : endedByServer(text);
