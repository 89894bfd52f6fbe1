import type { CallOptions, ClientOptions, Refusal } from './surface.ts';

/** Request metadata of one operation, from the endpoint tables. */
export type Operation = {
  method: string;
  path: string;
  /** The member of an answer that contains the rows of a list, and the one that contains the cursor of the next page. */
  rows?: string;
  cursor?: 'nextCursor' | 'next_cursor';
};

export type Input = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
export type Answer = { status: number; body: unknown };
type ErrorBody = Pick<Refusal, 'code'> & { message: string; requestId?: string; details?: Refusal['details'] };

/** A refusal of the server: its status, code, message and details. */
export class ApiError extends Error implements Refusal {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Refusal['code'];
  readonly requestId: string | undefined;
  readonly details: Refusal['details'];
  constructor(status: number, { code, message, requestId, details = {} }: ErrorBody) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
  }
}

/** The server could not be reached, or the answer is not from this API. `cause` has the reason. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

export const isStopped = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function addressOf({ path }: Operation, { params = {}, query = {} }: Input): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(entries.map(([key, value]) => [key, String(value)]));
  return entries.length === 0 ? filled : `${filled}?${search}`;
}

/** Parses an error response. Reports an answer that does not come from a server of this API. */
export function errorOf(status: number, text: string): Error {
  try {
    const { error } = JSON.parse(text) as { error?: ErrorBody };
    if (typeof error?.code === 'string') return new ApiError(status, error);
  } catch {
    // Reported below: proxies between client and server answer in another form.
  }
  return new NoAnswerError(`The address answers ${status}, but not as this API does. Check the address.`);
}

/** Sends one request to the server. Throws `NoAnswerError` without an answer. */
export type Send = (address: string, init: RequestInit) => Promise<Response>;

export function createSend({ baseUrl, token, fetch: fetchFn = fetch }: ClientOptions): Send {
  const origin = baseUrl.replace(/\/+$/, '');
  return async (address, { headers, ...init }) => {
    const bearer: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    try {
      return await fetchFn(origin + address, {
        redirect: 'manual',
        ...init,
        headers: { ...bearer, ...headers } as never,
      });
    } catch (cause) {
      if (isStopped(init.signal ?? undefined)) throw cause;
      throw new NoAnswerError(`The server at ${origin} does not answer. Check that it runs.`, { cause });
    }
  };
}

/** Calls an operation once. Throws `ApiError` on a refusal. */
export async function callOperation(
  send: Send,
  operation: Operation,
  { input = {}, options = {} }: { input: Input | undefined; options: CallOptions | undefined },
): Promise<Answer> {
  const { idempotencyKey, signal, headers } = options;
  const body: RequestInit = input.body === undefined ? {} : { body: JSON.stringify(input.body) };
  const answer = await send(addressOf(operation, input), {
    method: operation.method,
    headers: {
      accept: 'application/json',
      ...('body' in body && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    ...body,
    ...(signal && { signal }),
  });
  const text = await answer.text();
  if (answer.status >= 400) throw errorOf(answer.status, text);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (text !== '' && !isJson)
    throw new NoAnswerError('The address answers, but not as this API does. Check the address.');
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}
