import { readRetryAfter, type Send } from '#shared/kernel/client';
import { parseExactly } from '#shared/kernel/exact-number';

/** Sends requests of the typed client to a server, with a bearer token. */
export const createSend =
  (url: string, token: string): Send =>
  async ({ method, path, body, bytes, headers }) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes && { body: bytes }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: text === '' ? undefined : parseExactly(text),
      ...readRetryAfter(answer.headers),
    };
  };
