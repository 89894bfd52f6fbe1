import type { Secret } from '#server/kernel/secret';
import { type Outgoing, OutgoingError, sendOutgoing } from './outgoing.ts';

type Exchange = {
  tokenUrl: string;
  clientId: string;
  clientSecret: Secret | undefined;
  code: string;
  redirectUri: string;
  verifier: string;
};
/** `expiresIn` in seconds. */
export type Exchanged = { accessToken: string; expiresIn: number | undefined };

const timeoutMs = 30_000;
const maxBytes = 65_536;

/** The server did not issue a token. Its response is not kept, because it may repeat what it was sent. */
export class ExchangeError extends Error {}

/** Exchanges a code for a token (RFC 6749, 4.1.3, with the verifier of RFC 7636). Throws `ExchangeError`. */
export async function exchangeCode(exchange: Exchange, outgoing: Outgoing): Promise<Exchanged> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: exchange.code,
    redirect_uri: exchange.redirectUri,
    client_id: exchange.clientId,
    code_verifier: exchange.verifier,
  });
  if (exchange.clientSecret) form.set('client_secret', exchange.clientSecret.reveal());
  // Form and secret are only for the registered address of the helper.
  const request = { ...formRequest(exchange.tokenUrl, form), timeoutMs, maxBytes };
  const { status, body } = await sendOutgoing(request, outgoing).catch((error: unknown) => {
    const why = error instanceof OutgoingError ? error.reason : 'failed';
    throw new ExchangeError(`the token address cannot be reached (${why})`);
  });
  // A code host may answer status 200 without a token.
  const answer = status === 200 ? parse(body) : undefined;
  const { access_token: accessToken, expires_in: expiresIn } = answer ?? {};
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(accessToken))
    throw new ExchangeError(`the token address answered with status ${status} and no token`);
  return { accessToken, expiresIn: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : undefined };
}

/** Returns a token request (RFC 6749, 4.1.3) without its bounds. */
export const formRequest = (tokenUrl: string, form: URLSearchParams) => ({
  method: 'POST' as const,
  url: new URL(tokenUrl),
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  body: form.toString(),
});

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
