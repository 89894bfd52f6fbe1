import { bounds } from './bounds.ts';
import { libraryHttp, loadLibrary, wholeAnswer } from './git-library.ts';
import type { HttpClient } from './http-client.ts';
import { packet } from './pkt-line.ts';
import { type ListedRef, toListedRef } from './ref-list.ts';
import type { Remote } from './remote-discovery.ts';
import { post } from './remote-post.ts';

/** Lists the refs whose full names start with a prefix; all of them for an empty one. Throws `GitError`. */
export async function listRefs(http: HttpClient, remote: Remote, prefix: string): Promise<ListedRef[]> {
  if (remote.version === 0) return remote.refs.filter((ref) => ref.name.startsWith(prefix));
  const request = async (body: Buffer) =>
    wholeAnswer(await post(http, remote, { body: withFormat(body, remote), maxBytes: bounds.refListBytes }));
  const { listServerRefs } = await loadLibrary();
  const refs = await listServerRefs({
    http: libraryHttp(remote.advertisement, request),
    url: remote.base,
    protocolVersion: 2,
    prefix,
    symrefs: true,
    peelTags: true,
  });
  return refs.map(toListedRef);
}

/**
 * Adds the object format. isomorphic-git does not state which object ids it understands, and a server of SHA-256 ids
 * requires it: the capability follows the first packet, which is the command (gitprotocol-v2).
 */
function withFormat(body: Buffer, { format }: Remote): Buffer {
  if (format === 'sha1') return body;
  const end = Number.parseInt(body.toString('latin1', 0, 4), 16);
  return Buffer.concat([body.subarray(0, end), Buffer.from(packet(`object-format=${format}`)), body.subarray(end)]);
}
