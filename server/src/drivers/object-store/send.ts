import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import { certificatesOf } from '#server/kernel/certificates';
import { sha256Hex } from '#server/kernel/digest';
import type { Secret } from '#server/kernel/secret';
import { refusalOf, StoreError } from './store-error.ts';
import { textOf } from './xml.ts';

/** Credentials of one account at an object storage. */
export type StoreKeys = { accessKeyId: string; secretAccessKey: Secret; sessionToken?: Secret | undefined };

export type StoreConnection = {
  /** Origin of the service, such as `https://s3.eu-central-1.amazonaws.com`; http only for a loopback host. */
  endpoint: string;
  region: string;
  bucket: string;
  keys: StoreKeys;
  /** Checks the addresses of a name before one is connected to. */
  lookup?: LookupFunction | undefined;
  caFile?: string | undefined;
  httpsProxy?: string | undefined;
  /** Longest time without a byte in either direction, and until a connection is made. */
  idleMs?: number | undefined;
};

export type StoreRequest = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty for the bucket itself. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  signal?: AbortSignal | undefined;
};
export type StoreAnswer = { status: number; headers: http.IncomingHttpHeaders; body: http.IncomingMessage };

/** Sends one signed request. Resolves with a success, whose body is unread; throws `StoreError` for everything else. */
export type Send = (request: StoreRequest) => Promise<StoreAnswer>;

const usualIdleMs = 30_000;
/** Largest answer that is read as text: a list of 1,000 long keys is below it. */
const mostTextBytes = 8_388_608;

/** Creates the function that signs requests (AWS Signature Version 4) and sends them. It follows no redirect. */
export function createSend(connection: StoreConnection): Send {
  const origin = new URL(connection.endpoint);
  const isSecure = origin.protocol === 'https:';
  const agent = isSecure
    ? new https.Agent({
        ...certificatesOf(connection.caFile),
        ...(connection.httpsProxy && { proxyEnv: { HTTPS_PROXY: connection.httpsProxy } }),
      })
    : new http.Agent();
  return async (request) => {
    const { url, headers } = await sign(connection, request);
    const answer = await sendOnce({ ...request, url, headers }, { connection, agent });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const text = request.method === 'HEAD' ? '' : await readText(answer).catch(() => '');
    answer.body.resume();
    throw refusalOf(answer.status, textOf(text, 'Code'));
  };
}

/** Encodes a text as Signature Version 4 does (RFC 3986). */
const encodePart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const encodeKey = (key: string): string => key.split('/').map(encodePart).join('/');

async function sign({ endpoint, region, bucket, keys }: StoreConnection, request: StoreRequest) {
  const { method, key, query = {}, body = new Uint8Array() } = request;
  const url = new URL(endpoint);
  url.pathname = `/${encodeKey(bucket)}${key === undefined ? '' : `/${encodeKey(key)}`}`;
  // A plus sign for a space, as `URLSearchParams` writes it, has another signature at some services.
  url.search = Object.entries(query)
    .map((pair) => pair.map(encodePart).join('='))
    .join('&');
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...request.headers, 'x-amz-content-sha256': sha256Hex(body) },
    accessKeyId: keys.accessKeyId,
    secretAccessKey: keys.secretAccessKey.reveal(),
    ...(keys.sessionToken && { sessionToken: keys.sessionToken.reveal() }),
    service: 's3',
    region,
  });
  const signed = await signer.sign();
  return { url: signed.url, headers: Object.fromEntries(signed.headers) };
}

type Sending = Omit<StoreRequest, 'headers'> & { url: URL; headers: Record<string, string> };

function sendOnce(
  { method, url, headers, body = new Uint8Array(), signal }: Sending,
  { connection, agent }: { connection: StoreConnection; agent: http.Agent },
): Promise<StoreAnswer> {
  const isSecure = url.protocol === 'https:';
  const { lookup, httpsProxy, idleMs = usualIdleMs } = connection;
  const isProxied = isSecure && httpsProxy !== undefined;
  const isWrite = method !== 'GET' && method !== 'HEAD';
  return new Promise((resolve, reject) => {
    let isSent = false;
    const fail = (error?: unknown) => reject(errorOf(error, isSent && isWrite));
    const sent = (isSecure ? https : http).request(
      url,
      {
        method,
        headers: { ...headers, 'content-length': String(body.byteLength), 'user-agent': 'groundctl' },
        agent,
        timeout: idleMs,
        ...(signal && { signal }),
        ...(lookup && !isProxied && { lookup: refusingAddresses(lookup) }),
      },
      (answer) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
    );
    sent.once('timeout', () => sent.destroy(new Error('no byte for too long')));
    sent.once('finish', () => (isSent = true));
    sent.once('error', fail);
    // An answer in another protocol, or one that is cut off before its headers, closes without an error.
    sent.once('close', () => fail());
    sent.end(body);
  });
}

/** Reports the refusal of an address, which is not an error of the system, as such. */
const refusingAddresses =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) =>
      callback(error && !error.syscall ? new StoreError('address_refused', { cause: error }) : error, address, family),
    );

const certificateCodes = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** Translates a failure of the connection. A cancelled request keeps its `AbortError`. */
function errorOf(error: unknown, maySucceed: boolean): unknown {
  const { code = '', name = '' } = (error ?? {}) as { code?: string; name?: string };
  if (error instanceof StoreError || name === 'AbortError') return error;
  if (certificateCodes.test(code)) return new StoreError('certificate_refused', { cause: error });
  return new StoreError(maySucceed ? 'unsure' : 'unreachable', { cause: error });
}

/** Reads a bounded answer as text. Throws `StoreError`, also for an answer that is cut off. */
export async function readText(answer: StoreAnswer): Promise<string> {
  return Buffer.from(await readBytes(answer, mostTextBytes)).toString('utf8');
}

/** Reads an answer of at most this many bytes. Throws `StoreError`, also for an answer that is cut off. */
export async function readBytes({ body }: StoreAnswer, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw new StoreError('invalid_answer');
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw errorOf(error, false);
  }
  return Buffer.concat(chunks);
}
