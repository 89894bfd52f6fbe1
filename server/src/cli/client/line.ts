import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, readRetryAfter, type Send } from '#shared/kernel/client';
import { tokenPrefixes } from '#shared/vendor';
import { CommandError, exitCodes, failed } from '../exit-codes.ts';
import { LineError } from '../line-error.ts';
import { loginEnded } from '../login/login-token.ts';
import { sendLongRequest } from '../long-request.ts';
import type { ServerLocation } from './server-location.ts';

/** Returns a token that is valid now. */
export type TokenSource = () => Promise<string>;

/** Maximum time in milliseconds that a server that answered before may be unreachable, for example during a restart. */
const awayMs = 60_000;
const firstWaitMs = 250;
const maxWaitMs = 3_000;

/** Returns the wait before the next try; it grows with each try. */
export const backoffMs = (tries: number): number => Math.min(firstWaitMs * 2 ** tries, maxWaitMs);

/** Turns the error of a failed fetch into a `LineError`; rethrows an abort. */
export function asLineError(error: unknown, signal?: AbortSignal): never {
  if (signal?.aborted) throw signal.reason;
  throw new LineError('The connection to the server was lost.', { cause: error });
}

/**
 * Sends the requests of the typed client. When a server that answered before is lost, waits for it and repeats the
 * request: each write has its own Idempotency-Key, so it takes effect once. Throws `LineError` when nothing answers.
 * Without a token it calls public routes only.
 */
export function createLine(
  location: Pick<ServerLocation, 'origin'>,
  getToken: TokenSource | undefined,
  signal: AbortSignal,
): Send {
  let hasResponded = false;
  const once: Send = async ({ method, path, body, bytes, headers }) => {
    const credential = getToken && { authorization: `Bearer ${await getToken()}` };
    // The work of a write may take minutes.
    const send = method === 'GET' ? fetch : sendLongRequest;
    const answer = await send(location.origin() + path, {
      method,
      headers: {
        ...credential,
        'user-agent': 'groundctl',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes && { body: bytes }),
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => asLineError(error, signal));
    const text = await answer.text().catch((error: unknown) => asLineError(error, signal));
    const read = { status: answer.status, body: readBody(answer.status, text), ...readRetryAfter(answer.headers) };
    hasResponded = true;
    return read;
  };
  return async (request) => {
    const key = request.method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    const keyedRequest = { ...request, headers: { ...key, ...request.headers } };
    const end = performance.now() + awayMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await once(keyedRequest);
      } catch (error) {
        if (!(error instanceof LineError) || !hasResponded || performance.now() > end) throw error;
      }
      await sleep(backoffMs(tries), undefined, { signal });
    }
  };
}

function readBody(status: number, text: string): unknown {
  if (text === '' && status < 300) return undefined;
  try {
    const body = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    if (status < 300 || typeof body.error?.message === 'string') return body;
  } catch {
    // Handled below: a proxy or another program answered.
  }
  throw failed(
    'not_ground_control',
    `What answered (status ${status}) is not a Ground Control server. Check the address.`,
  );
}

/** Parses an error answer that is read without the typed client. */
export function refusalOf(status: number, text: string): ApiError {
  const { error } = readBody(status, text) as { error: { code: string; message: string } };
  return new ApiError(status, error);
}

const tokenCodes = new Set(['invalid_session', 'invalid_token', 'unauthenticated', 'unauthorized']);

/** Turns an API error or a lost connection into a message with an exit code; rethrows any other error. */
export function explain(
  error: unknown,
  location: Pick<ServerLocation, 'called' | 'origin' | 'credential'>,
): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof LineError) {
    return failed(
      'no_server',
      `No server answers at ${location.origin()} (${location.called}). Start it with groundctl serve, or check the address.`,
    );
  }
  if (!(error instanceof ApiError)) throw error;
  if (tokenCodes.has(error.code)) return failed(error.code, tokenMessage(error, location.credential));
  if (error.code === 'vault_sealed') return failed(error.code, `${error.message} Open it with: groundctl vault unseal`);
  const exitCode = error.status === 400 ? exitCodes.wrongUse : exitCodes.failed;
  return new CommandError(error.message, { exitCode, code: String(error.details['reason'] ?? error.code) });
}

function tokenMessage(error: ApiError, credential: ServerLocation['credential']): string {
  if (credential.kind === 'operator')
    return `The server refused the operator token of this folder: ${error.message} SVC_OPERATOR_TOKEN wins over the file.`;
  // A valid token of these kinds gets this code on routes that need a signed-in person.
  const isApp = credential.kind === 'login' || credential.token.startsWith(tokenPrefixes.pat);
  if (error.code === 'invalid_session' && isApp)
    return 'This requires a person who is signed in, instead of an access token. Use the dashboard, or --data-dir DIR on the machine of the server, without GROUNDCTL_TOKEN.';
  if (credential.kind === 'login') return loginEnded(credential.url);
  return `The server refused the token in GROUNDCTL_TOKEN: ${error.message} Unset it to use the data folder.`;
}
