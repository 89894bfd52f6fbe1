import { refused } from './git-error.ts';
import { type HttpClient, mediaType } from './http-client.ts';
import { failureOfStatus } from './http-failure.ts';
import { notGit } from './ref-list.ts';
import type { Remote } from './remote-discovery.ts';

/** The request of one command, and the maximum size of its response. */
type Post = { body: string | Uint8Array; maxBytes: number };

/** Sends a command to a discovered repository, and returns the body of its response. Throws `GitError`. */
export async function post(http: HttpClient, remote: Remote, { body, maxBytes }: Post): Promise<AsyncIterable<Buffer>> {
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
  if (mediaType(response) !== 'application/x-git-upload-pack-result') throw notGit();
  return response.body;
}
