import { publicApi } from '#shared/api';
import { ApiError, type Client, createClient, readRetryAfter, type Send } from '#shared/kernel/client';
import { parseExactly, writeJson } from '#shared/kernel/exact-number';

/** The server cannot be reached, or its answer was cut off. */
export class OfflineError extends Error {}

/** Throws `OfflineError` in place of the error of a failed `fetch`. */
export const lost = (): never => {
  throw new OfflineError();
};

const send: Send = async ({ method, path, body, bytes, headers }) => {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: writeJson(body) }),
    ...(bytes && { body: bytes }),
  }).catch(lost);
  // A page that is left also cuts off an answer whose head has arrived.
  const text = await answer.text().catch(lost);
  return {
    status: answer.status,
    body: text === '' ? undefined : parseExactly(text),
    ...readRetryAfter(answer.headers),
  };
};

export type EndpointName = keyof typeof publicApi;

/**
 * The API client of the dashboard, built from the endpoint tables. The session cookie of this origin authenticates its
 * calls.
 */
export const api: Client<typeof publicApi> = createClient(publicApi, send);

/** Returns a new idempotency key for one intent of the user: a second click with the same key has no second effect. */
export const newKey = (): Record<'idempotency-key', string> => ({ 'idempotency-key': crypto.randomUUID() });

export { ApiError };
