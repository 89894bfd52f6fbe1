import { type Api, type Endpoint, fullPath, type Input, type Reply } from './endpoint.ts';

export type Client<A extends Api> = {
  readonly [K in keyof A]: (input: Input<A[K]>, headers?: Record<string, string>) => Promise<Reply<A[K]> & Wait>;
};

/** Wait that the server requests before the next request, from its `Retry-After`. */
type Wait = { retryAfterSeconds?: number };

/** Sends one request to the server and returns status and parsed JSON body (undefined when there is none). */
export type Send = (request: {
  method: string;
  path: string;
  /** Value that is sent as JSON. */
  body?: unknown;
  /** Bytes that are sent as they are, instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}) => Promise<{ status: number; body: unknown } & Wait>;

/** Reads a `Retry-After` in seconds; the server sends no dates. */
export function readRetryAfter(headers: Headers): Wait {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {};
}

/** An error response of the server, with its code and message. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;
  constructor(status: number, error: { code: string; message: string; details?: Record<string, unknown> }) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.details = error.details ?? {};
  }
}

type Loose = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
};

/** Returns the path and query of one call. */
function urlOf(endpoint: Endpoint, input: Loose): string {
  const path = fullPath(endpoint).replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(input.params?.[name] ?? ''),
  );
  const entries = Object.entries(input.query ?? {}).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(entries.map(([key, value]) => [key, String(value)]));
  return entries.length > 0 ? `${path}?${query}` : path;
}

/** Turns an endpoint table into typed calls. Throws `ApiError` on a refusal. */
export function createClient<A extends Api>(api: A, send: Send): Client<A> {
  const call = (endpoint: Endpoint) => async (input: Loose, ownHeaders?: Record<string, string>) => {
    const headers = input.bytes ? { 'content-type': 'application/octet-stream', ...ownHeaders } : ownHeaders;
    const { status, body, ...wait } = await send({
      method: endpoint.method,
      path: urlOf(endpoint, input),
      ...(input.body !== undefined && { body: input.body }),
      ...(input.bytes && { bytes: input.bytes }),
      ...(headers && { headers }),
    });
    if (status >= 400) throw new ApiError(status, (body as { error: { code: string; message: string } }).error);
    return { status, body, ...wait };
  };
  return Object.fromEntries(
    Object.entries(api).map(([name, endpoint]) => [name, call(endpoint)]),
  ) as unknown as Client<A>;
}
