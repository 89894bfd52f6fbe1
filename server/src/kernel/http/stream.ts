import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer that is written piece by piece. */
export type Streamed = {
  stream: {
    contentType: string;
    /** Starts writing; `signal` aborts when the caller has gone or the server stops. */
    start(
      out: { write(text: string): boolean; end(): void; onDrain(work: () => void): void },
      signal: AbortSignal,
    ): void;
  };
};

const open = new Set<() => void>();

/** Ends every open stream, so that a stopping server does not wait for its readers. */
export function endStreams(): void {
  for (const end of open) end();
}

export function sendStream(request: FastifyRequest, reply: FastifyReply, { stream }: Streamed): FastifyReply {
  const raw = reply.raw;
  reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    'content-type': stream.contentType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  raw.writeHead(200, headers as Record<string, string>);
  if (request.method === 'HEAD') {
    raw.end();
    return reply;
  }
  raw.flushHeaders();
  const gone = new AbortController();
  const stop = () => {
    open.delete(finish);
    gone.abort();
  };
  const finish = () => raw.end(stop);
  open.add(finish);
  raw.on('close', stop);
  // A reader that breaks off in the middle of a write is gone, nothing more.
  raw.on('error', stop);
  stream.start(
    { write: (text) => raw.write(text), end: finish, onDrain: (work) => void raw.once('drain', work) },
    gone.signal,
  );
  return reply;
}

/** One server-sent event. Without an id the reader's position does not move. */
export const sseEvent = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
