import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export type ReplicaSync = {
  /** Control socket of Litestream. */
  socket: string;
  /** Absolute path of the database, as the configuration of Litestream names it. */
  file: string;
  /** Time for everything. */
  timeoutMs: number;
};

const answerMaxBytes = 65_536;
const retryMs = 20;

const syncAnswer = z.object({
  status: z.enum(['synced', 'no_change']),
  path: z.string(),
  txid: z.int().min(1),
  replicated_txid: z.int().min(1),
});

/**
 * Resolves to true when the replica has everything that was committed to the database before the call, and to false
 * when Litestream does not confirm that in time. An answer counts only for this database and a position that the
 * replica has reached.
 */
export async function syncReplica({ socket, file, timeoutMs }: ReplicaSync): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  const body = JSON.stringify({ path: file, wait: true, timeout: Math.max(1, Math.ceil(timeoutMs / 1_000)) });
  try {
    for (;;) {
      const answer = await post(socket, body, signal);
      if (answer?.path !== file) return false;
      if (answer.replicated_txid >= answer.txid) return true;
      // A later commit was noticed before the answer was written.
      await sleep(retryMs, undefined, { signal });
    }
  } catch {
    return false;
  }
}

/** Posts a request to sync. Resolves to undefined for an answer that is not a success of this form. */
async function post(socketPath: string, body: string, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const request = http.request({ socketPath, path: '/sync', method: 'POST', headers, signal, agent: false }, resolve);
  request.on('error', reject);
  request.end(body);
  const response = await promise;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > answerMaxBytes) {
      response.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  if (response.statusCode !== 200) return undefined;
  return syncAnswer.safeParse(JSON.parse(Buffer.concat(chunks).toString())).data;
}
