import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type BucketObjects, createBucketObjects } from './bucket-objects.ts';
import { bucketKeys, bucketRegion, findSignatureFault } from './bucket-signature.ts';
import { tempDir } from './harness.ts';

export const bucketName = 'backups';

type Request = { method: string; url: URL; headers: http.IncomingHttpHeaders; body: Buffer; key: string };
type Answer = { status: number; body?: string | Buffer; headers?: Record<string, string>; isError?: boolean };
/** One request of the log: method and what was requested, such as `PUT part 2`. */
export type BucketRequest = { method: string; what: string; key: string };

/**
 * Faults of the bucket. A function is called with each request and its answer: it may return another answer, `cut` to
 * close the connection instead, or a promise, by which the bucket becomes slow.
 */
export type BucketFault = (
  request: BucketRequest,
  answer: Answer,
) => Answer | 'cut' | 'cut in the middle' | undefined | Promise<Answer | 'cut' | undefined>;

export type ObjectBucket = {
  /** Settings of a client: address, region, bucket and keys. */
  readonly connection: { endpoint: string; region: string; bucket: string };
  readonly objects: BucketObjects;
  /** Requests whose signatures were right, in order. */
  readonly requests: readonly BucketRequest[];
  /** Codes of refused signatures. */
  readonly refused: readonly string[];
  /** Replaces the fault; undefined ends it. */
  fail(fault: BucketFault | undefined): void;
  /** Acknowledges writes of objects and parts without storing them. */
  dropWrites(isDropping: boolean): void;
  /** Ignores the conditions of writes. */
  ignoreConditions(isIgnoring: boolean): void;
  close(): Promise<void>;
};

/** Starts a real S3-compatible bucket on the loopback address. It checks each signature and stores files in a temporary folder. */
export async function startObjectBucket({ tls }: { tls?: { cert: string; key: string } } = {}): Promise<ObjectBucket> {
  const folder = tempDir();
  const objects = createBucketObjects(folder);
  const lies = { dropsWrites: false, ignoresConditions: false };
  const requests: BucketRequest[] = [];
  const refused: string[] = [];
  let fault: BucketFault | undefined;

  async function handle(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host}`);
    const [bucket = '', ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    const { method = '', headers } = incoming;
    const request: Request = { method, url, headers, body: Buffer.concat(chunks), key: rest.join('/') };
    const code = findSignatureFault(request);
    if (code) {
      refused.push(code);
      return respond(response, errorAnswer(403, code));
    }
    if (bucket !== bucketName) return respond(response, errorAnswer(404, 'NoSuchBucket'));
    const logged = { method, what: describe(request), key: request.key };
    requests.push(logged);
    const answer = answerOf(request, objects, lies);
    const changed = fault && (await fault(logged, answer));
    if (changed === 'cut') return void response.socket?.destroy();
    if (changed === 'cut in the middle') return cutOff(response, answer);
    respond(response, changed ?? answer);
  }
  const listener: http.RequestListener = (incoming, response) =>
    void handle(incoming, response).catch(() => response.socket?.destroy());
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return {
    connection: { endpoint, region: bucketRegion, bucket: bucketName },
    objects,
    requests,
    refused,
    fail: (next) => {
      fault = next;
    },
    dropWrites: (isDropping) => {
      lies.dropsWrites = isDropping;
    },
    ignoreConditions: (isIgnoring) => {
      lies.ignoresConditions = isIgnoring;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          fs.rmSync(folder, { recursive: true, force: true });
          resolve();
        });
      }),
  };
}

function describe({ method, url }: Request): string {
  const part = url.searchParams.get('partNumber');
  if (part !== null) return `part ${part}`;
  if (url.searchParams.has('uploads')) return 'start upload';
  if (url.searchParams.has('uploadId'))
    return { GET: 'list parts', POST: 'complete', DELETE: 'abort' }[method] ?? 'upload';
  return url.searchParams.has('list-type') ? 'list' : 'object';
}

function respond(response: http.ServerResponse, { status, body = '', headers = {} }: Answer): void {
  response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }).end(body);
}

/** Sends half of the body and closes the connection. */
function cutOff(response: http.ServerResponse, { status, body = '', headers = {} }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-length': String(bytes.length), ...headers });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}

export const errorAnswer = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No.</Message></Error>`,
});

type Lies = { dropsWrites: boolean; ignoresConditions: boolean };

function answerOf(request: Request, objects: BucketObjects, lies: Lies): Answer {
  const { method, url, key } = request;
  if (key === '') return method === 'GET' ? listObjects(url, objects) : errorAnswer(405, 'MethodNotAllowed');
  if (url.searchParams.has('uploads')) {
    const id = objects.startUpload(key).replace('&', '&amp;');
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }
  if (url.searchParams.has('uploadId')) return answerUpload(request, objects, lies);
  if (method === 'PUT') return putObject(request, objects, lies);
  if (method === 'DELETE') {
    if (!lies.dropsWrites) objects.delete(key);
    return { status: 204 };
  }
  const bytes = objects.read(key);
  if (!bytes) return errorAnswer(404, 'NoSuchKey');
  const headers = { etag: objects.tagOf(key) ?? '', 'content-length': String(bytes.length) };
  return { status: 200, headers, ...(method === 'GET' && { body: bytes }) };
}

function putObject({ headers, body, key }: Request, objects: BucketObjects, lies: Lies): Answer {
  const tag = objects.tagOf(key);
  if (!lies.ignoresConditions) {
    if (headers['if-none-match'] === '*' && tag !== undefined) return errorAnswer(412, 'PreconditionFailed');
    if (headers['if-match'] !== undefined && tag === undefined) return errorAnswer(404, 'NoSuchKey');
    if (headers['if-match'] !== undefined && headers['if-match'] !== tag) return errorAnswer(412, 'PreconditionFailed');
  }
  if (!lies.dropsWrites) objects.write(key, body);
  return { status: 200, headers: { etag: objects.partTag(body) } };
}

function answerUpload({ method, url, key, body }: Request, objects: BucketObjects, lies: Lies): Answer {
  const id = url.searchParams.get('uploadId') ?? '';
  const upload = objects.findUpload(id, key);
  if (!upload) return errorAnswer(404, 'NoSuchUpload');
  if (method === 'PUT') {
    if (!lies.dropsWrites) upload.parts.set(Number(url.searchParams.get('partNumber')), body);
    return { status: 200, headers: { etag: objects.partTag(body) } };
  }
  if (method === 'DELETE') {
    objects.endUpload(id);
    return { status: 204 };
  }
  const parts = [...upload.parts].sort(([a], [b]) => a - b);
  if (method === 'GET') return listParts(url, parts, objects);
  const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  const isWhole =
    listed.length === parts.length &&
    listed.every(([, number, tag = ''], at) => {
      const part = parts[at];
      return part && String(part[0]) === number && objects.partTag(part[1]) === tag.replaceAll('&quot;', '"');
    });
  if (!isWhole) return errorAnswer(400, 'InvalidPart');
  objects.write(key, Buffer.concat(parts.map(([, bytes]) => bytes)));
  objects.endUpload(id);
  return { status: 200, body: `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>` };
}

/** Pages are short, so that clients must follow them. */
const pageSize = 2;

function listParts(url: URL, parts: [number, Buffer][], objects: BucketObjects): Answer {
  const rest = parts.filter(([number]) => number > Number(url.searchParams.get('part-number-marker') ?? 0));
  const page = rest.slice(0, pageSize);
  const items = page.map(
    ([number, bytes]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${objects.partTag(bytes).replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size></Part>`,
  );
  const more = `<IsTruncated>${rest.length > page.length}</IsTruncated><NextPartNumberMarker>${page.at(-1)?.[0] ?? 0}</NextPartNumberMarker>`;
  return { status: 200, body: `<ListPartsResult>${more}${items.join('')}</ListPartsResult>` };
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function listObjects(url: URL, objects: BucketObjects): Answer {
  const prefix = url.searchParams.get('prefix') ?? '';
  const after = url.searchParams.get('continuation-token') ?? '';
  const rest = objects.keys().filter((key) => key.startsWith(prefix) && key > after);
  const page = rest.slice(0, pageSize);
  const items = page.map(
    (key) => `<Contents><Key>${escapeText(key)}</Key><Size>${objects.read(key)?.length}</Size></Contents>`,
  );
  const isTruncated = rest.length > page.length;
  const token = isTruncated ? `<NextContinuationToken>${escapeText(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  return {
    status: 200,
    body: `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${token}${items.join('')}</ListBucketResult>`,
  };
}

export { bucketKeys, bucketRegion };
