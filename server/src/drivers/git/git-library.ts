import type { HttpClient as LibraryHttp } from 'isomorphic-git';
import { endedByServer } from './git-error.ts';
import { packetText, readPackets } from './pkt-line.ts';
import { notGit } from './ref-list.ts';

/*
 * isomorphic-git reads what a server says of itself and of its refs. Packs and local repositories are read by this folder:
 * the library inflates without a limit, and does not hand out its readers for single objects.
 */

/** What isomorphic-git exports. */
export type Library = typeof import('isomorphic-git');

/** Loads isomorphic-git: only when a server is asked, because it takes longer to load than all else in the thread. */
export const loadLibrary = (): Promise<Library> => import('isomorphic-git');

/**
 * The `http` plugin isomorphic-git asks through. Where a repository is and whether it may be reached is settled by then,
 * so a GET is answered with the advertisement that came with that, and only a POST goes out.
 */
export function libraryHttp(advertisement: Buffer, post: (body: Buffer) => Promise<Buffer>): LibraryHttp {
  return {
    request: async ({ url, method, body }) => {
      const isPost = method === 'POST';
      const answer = isPost ? await post(await joined(body ?? [])) : advertisement;
      const type = `application/x-git-upload-pack-${isPost ? 'result' : 'advertisement'}`;
      return { url, statusCode: 200, statusMessage: 'OK', headers: { 'content-type': type }, body: inOnePiece(answer) };
    },
  };
}

/**
 * An answer that has come whole, whose packets are well-formed and hold no error. isomorphic-git would take a connection
 * that breaks and a packet it cannot read for the end of a list, and so report refs as missing. `onLine` takes each line.
 */
export async function wholeAnswer(body: AsyncIterable<Buffer>, onLine?: (line: string) => void): Promise<Buffer> {
  const answer = await joined(body);
  await readPackets([answer], (packet) => {
    if (packet.kind === 'end') throw notGit();
    if (packet.kind !== 'data') return;
    const line = packetText(packet.bytes);
    if (line.startsWith('ERR ')) throw endedByServer(line.slice(4));
    onLine?.(line);
  });
  return answer;
}

/** Works for the arrays the library passes where its types say iterator, too. */
async function joined(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const part of parts) chunks.push(part);
  return Buffer.concat(chunks);
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
