import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer that is a file of the server's disk, for an endpoint that declares `ranges`. */
export type FileReply = {
  file: {
    path: string;
    sizeBytes: number;
    contentType: string;
    /** Name under which a browser saves the file: letters, digits, `.`, `-` and `_`. */
    name: string;
    /** Identifies the content; the entity tag of the answer. */
    digest: string;
    /** Called before bytes from the start are sent, unless it is only one: once for a download that is continued too. */
    onDownload?: () => void;
  };
};

type Span = { start: number; end: number };
type Conditions = { range: string | undefined; ifRange: string | undefined; entityTag: string };

/**
 * Returns the part of a file that a request names: undefined for the whole file, `unsatisfiable` for a part after its
 * end. Several parts at once, and a part of another version, are answered with the whole file (RFC 9110, 14.2).
 */
export function findSpan({ range, ifRange, entityTag }: Conditions, size: number): Span | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=([0-9]*)-([0-9]*)$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (ifRange !== undefined && ifRange !== entityTag) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Sends a file, or the part of it that the request names. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, { file }: FileReply): FastifyReply {
  const entityTag = `"${file.digest}"`;
  const { range, 'if-range': ifRange } = request.headers;
  const span = findSpan(
    { range, ifRange: ifRange === undefined ? undefined : String(ifRange), entityTag },
    file.sizeBytes,
  );
  reply.headers({ 'accept-ranges': 'bytes', etag: entityTag });
  if (span === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).send();
  const { start, end } = span ?? { start: 0, end: file.sizeBytes - 1 };
  if (span) reply.header('content-range', `bytes ${start}-${end}/${file.sizeBytes}`);
  reply.code(span ? 206 : 200).headers({
    'content-type': file.contentType,
    'content-length': String(end - start + 1),
    'content-disposition': `attachment; filename="${file.name}"`,
  });
  if (request.method !== 'HEAD' && start === 0 && end > 0) file.onDownload?.();
  if (request.method !== 'HEAD') return reply.send(createReadStream(file.path, { start, end }));
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>).end();
  return reply;
}
