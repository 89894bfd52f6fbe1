import type { HttpClient as LibraryHttp } from 'isomorphic-git';
import { endedByServer } from './git-error.ts';
import { packetText, readPackets } from './pkt-line.ts';
import { notGit } from './ref-list.ts';

/*
 * isomorphic-git parses a server's capabilities and refs. Packs and local repositories are read by this folder: the
 * library inflates without a limit, and does not export its readers for single objects.
 */

/** Module shape of isomorphic-git. */
export type Library = typeof import('isomorphic-git');

/** Loads isomorphic-git. Called only for Git servers, because it loads slower than the rest of the thread. */
export const loadLibrary = (): Promise<Library> => import('isomorphic-git');

/**
 * Creates the `http` plugin for isomorphic-git. The address was already resolved and checked, so a GET returns the
 * advertisement that was received then, and only a POST is sent.
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
 * Returns a complete response whose packets are well-formed and hold no error. isomorphic-git would treat a broken
 * connection and an unreadable packet as the end of a list, and so report refs as missing. `onLine` receives each line.
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

/** Joins parts. Also accepts the arrays that the library passes where its types require an iterator. */
async function joined(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const part of parts) chunks.push(part);
  return Buffer.concat(chunks);
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
