import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { endWithServer } from './stream.ts';

/** An answer of unknown length, sent as it is made. A broken connection shows the reader that it is incomplete. */
export type BytesReply = {
  bytes: {
    contentType: string;
    /** Name under which a browser saves the file: letters, digits, `.`, `-` and `_`. */
    name: string;
    chunks: AsyncIterable<Uint8Array>;
  };
};

/** Sends the chunks; a reader that disconnects, and a stopping server, end them. */
export function sendBytes(reply: FastifyReply, { bytes }: BytesReply): FastifyReply {
  const body = Readable.from(bytes.chunks, { objectMode: false });
  body.once(
    'close',
    endWithServer(() => body.destroy(new Error('The server stops.'))),
  );
  return reply
    .code(200)
    .headers({
      'content-type': bytes.contentType,
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${bytes.name}"`,
    })
    .send(body);
}
