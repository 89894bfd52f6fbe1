import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from '#shared/kernel/exact-number';
import { JsonError, parseStrictJson } from '#shared/kernel/json';
import { digestOf } from './json.ts';

/** `cookie` sends the token as the session cookie alone; `wrong` sends a bearer that no host has issued. */
export type Credential = 'bearer' | 'none' | 'cookie' | 'wrong';

export type HostRequest = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** JSON value; a text is sent as it is. */
  body?: unknown;
  credential?: Credential;
};

/** An answer with the request that it belongs to. `json` is undefined where the body is not JSON. */
export type Answer = {
  request: HostRequest;
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  json: unknown;
};

/** Entry of the report: which request was sent, and the digests of both bodies. */
export type ExchangeRecord = {
  method: string;
  path: string;
  status: number;
  requestDigest?: string;
  answerDigest: string;
};

/** Thrown when a host does not answer. The message names no value of the request. */
export class NoAnswerError extends Error {}

export type HostOptions = {
  /** Origin of the host. */
  endpoint: string;
  token: string;
  /** Certificates to trust instead of the usual ones. */
  ca?: string[] | undefined;
  signal?: AbortSignal | undefined;
};
export type HostClient = {
  send(request: HostRequest, onExchange: (record: ExchangeRecord) => void): Promise<Answer>;
  close(): void;
};

const answerMs = 60_000;
const maxAnswerBytes = 8 * 1_024 * 1_024;
/** A host may limit the rate of requests (429), and says how long to wait. */
const mostTries = 5;
const longestWaitSeconds = 60;
const wrongToken = 'conformance-token-that-no-host-has-issued';

/** Creates the client of a host. It sends the token to this origin alone and follows no redirect. */
export function createHostClient(options: HostOptions): HostClient {
  const { Agent } = options.endpoint.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const exchange = async (request: HostRequest, onExchange: (record: ExchangeRecord) => void) => {
    const path = `${request.path}${request.query ? `?${new URLSearchParams(request.query)}` : ''}`;
    const bytes = bytesOf(request.body);
    const requestDigest = bytes === undefined ? {} : { requestDigest: digestOf(bytes) };
    for (let tries = 1; ; tries += 1) {
      const { status, headers, text } = await send({ ...options, agent }, { ...request, path }, bytes);
      onExchange({ method: request.method, path, status, ...requestDigest, answerDigest: digestOf(text) });
      const waitMs = status === 429 && tries < mostTries ? retryAfterMs(headers) : undefined;
      if (waitMs === undefined) return { request, status, headers, text, json: parse(text) };
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  };
  return { send: exchange, close: () => agent.destroy() };
}

function bytesOf(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return typeof body === 'string' ? body : writeJson(body);
}

function retryAfterMs({ 'retry-after': seconds = '' }: http.IncomingHttpHeaders): number | undefined {
  return /^\d{1,4}$/.test(seconds) && Number(seconds) <= longestWaitSeconds ? Number(seconds) * 1_000 : undefined;
}

function headersOf({ headers, credential = 'bearer' }: HostRequest, token: string, bytes: string | undefined) {
  const credentials = {
    bearer: { authorization: `Bearer ${token}` },
    cookie: { cookie: `svc_session=${token}` },
    wrong: { authorization: `Bearer ${wrongToken}` },
    none: {},
  } as const satisfies Record<Credential, Record<string, string>>;
  return {
    accept: 'application/json',
    'user-agent': 'groundctl-conformance',
    ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(bytes)}` }),
    ...credentials[credential],
    ...headers,
  };
}

type RawAnswer = Pick<Answer, 'status' | 'headers' | 'text'>;

type Connection = HostOptions & { agent: http.Agent };

/** Repeats a request whose connection the host closed while it was idle: such a request was not read. */
async function send(options: Connection, request: HostRequest, bytes: string | undefined): Promise<RawAnswer> {
  const first = await sendOnce(options, request, bytes);
  const answer = first === 'closed' ? await sendOnce(options, request, bytes) : first;
  if (answer === 'closed') throw new NoAnswerError('no answer (the host closes the connection).');
  return answer;
}

function sendOnce(
  { endpoint, token, ca, signal, agent }: Connection,
  request: HostRequest,
  bytes: string | undefined,
): Promise<RawAnswer | 'closed'> {
  const { request: open } = endpoint.startsWith('https:') ? https : http;
  const headers = headersOf(request, token, bytes);
  const tls = ca && { ca };
  const abort = signal && { signal };
  const options = { method: request.method, headers, agent, timeout: answerMs, ...tls, ...abort };
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(signal?.aborted ? signal.reason : new NoAnswerError(noAnswerText(error), { cause: error }));
    const outgoing = open(`${endpoint}${request.path}`, options, (answer) => {
      const { statusCode: status = 0 } = answer;
      readText(answer).then((text) => resolve({ status, headers: answer.headers, text }), fail);
    });
    outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      outgoing.reusedSocket && error.code === 'ECONNRESET' ? resolve('closed') : fail(error),
    );
    outgoing.end(bytes);
  });
}

const noAnswerText = ({ code = 'unknown' }: NodeJS.ErrnoException): string =>
  /CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(code)
    ? `the certificate of the host is not trusted (${code}). Name its authority with --ca.`
    : `no answer (${code}).`;

async function readText(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw Object.assign(new Error('too large'), { code: 'ANSWER_TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return parseStrictJson(text, { protoKey: 'kept' });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
