import { asLineError, refusalOf } from './client/line.ts';
import { sendLongRequest } from './long-request.ts';

type BytesRequest = { method: 'GET' | 'POST'; token: string; body?: object; signal?: AbortSignal };
type Bytes = { headers: Headers; chunks: AsyncIterable<Uint8Array> };

/**
 * Requests a stream of bytes, which follow as they arrive. Throws `ApiError` for a refusal, and `LineError` when the
 * connection is lost, also while the bytes are read.
 */
export async function requestBytes(url: string, { method, token, body, signal }: BytesRequest): Promise<Bytes> {
  const lost = (error: unknown): never => asLineError(error, signal);
  const answer = await sendLongRequest(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'user-agent': 'groundctl',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  }).catch(lost);
  if (answer.status !== 200 || !answer.body) throw refusalOf(answer.status, await answer.text().catch(lost));
  return { headers: answer.headers, chunks: chunksOf(answer.body, lost) };
}

async function* chunksOf(body: ReadableStream<Uint8Array>, lost: (error: unknown) => never) {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(lost);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
