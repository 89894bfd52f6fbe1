import type { LookupFunction } from 'node:net';
import { Secret } from '#server/kernel/secret';
import { accessTokenName, type PreRunType } from '#shared/connections/pre-run';
import { formRequest } from '../oauth-exchange.ts';
import { type Outgoing, type OutgoingAnswer, OutgoingError, sendOutgoing } from '../outgoing.ts';
import { MintError, mintTarget } from './mint-error.ts';
import { type Minted, objectIn } from './minted.ts';
import { isForOthers } from './token-audience.ts';

export type TokenRequest = {
  type: PreRunType;
  /** Values by the names of the inputs. */
  inputs: Readonly<Record<string, string>>;
};
export type TokenHost = { outgoing: Outgoing; lookup: LookupFunction; timeoutMs: number; maxBytes: number };

const at = `The token address of the Connection bound to ${mintTarget}`;
const malformed = (why: string) =>
  new MintError('credential_mint_failed', `${at} gave no usable token: ${why}. Check the inputs of the Connection.`);

/**
 * Requests a token (RFC 6749, 4.4 and 6). Throws `MintError`, and the reason of the signal. The signal does not end a
 * request that may replace the refresh token, because the old one is no longer valid after it.
 */
export async function requestToken(
  { type, inputs }: TokenRequest,
  { outgoing, lookup, timeoutMs, maxBytes }: TokenHost,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<Minted & { refreshToken?: Secret }> {
  const request = formRequest(inputs['token_url'] ?? '', formOf(type, inputs));
  const headers = { ...request.headers, ...authorizationOf(inputs) };
  const interruption = type === 'oauth_refresh_token' ? {} : { signal };
  const sent = { ...request, ...interruption, headers, lookup, timeoutMs, maxBytes };
  const answer = await sendOutgoing(sent, outgoing).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof OutgoingError && error.reason === 'too_large'
      ? malformed('its answer is too large')
      : new MintError('credential_service_unavailable', `${at} did not answer. Try again later.`);
  });
  const token = readToken(answer, inputs['audience']);
  const { expires_in: expiresIn, refresh_token: rotated } = token.answer;
  const isRotated = typeof rotated === 'string' && rotated !== '' && rotated !== inputs['refresh_token'];
  const refreshToken = isRotated ? new Secret(rotated) : undefined;
  const replaced = inputs['refresh_token'];
  return {
    values: new Map([[accessTokenName, new Secret(token.text)]]),
    hidden: refreshToken && replaced !== undefined ? [new Secret(replaced), refreshToken] : [],
    expiresAt: typeof expiresIn === 'number' && expiresIn > 0 ? now + expiresIn * 1_000 : undefined,
    ...(refreshToken && { refreshToken }),
  };
}

function formOf(type: PreRunType, inputs: TokenRequest['inputs']): URLSearchParams {
  const { scope, audience, client_id: clientId, refresh_token: refreshToken } = inputs;
  return new URLSearchParams({
    grant_type: type === 'oauth_refresh_token' ? 'refresh_token' : 'client_credentials',
    ...(type === 'oauth_refresh_token' && refreshToken !== undefined && { refresh_token: refreshToken }),
    // A client with a secret names itself in the header (RFC 6749, 2.3.1).
    ...(inputs['client_secret'] === undefined && clientId !== undefined && { client_id: clientId }),
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  });
}

/** Every token endpoint supports HTTP Basic for a client with a secret; both parts are form-encoded before. */
function authorizationOf({ client_id: id = '', client_secret: secret }: TokenRequest['inputs']): {
  authorization?: string;
} {
  if (secret === undefined) return {};
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` };
}

/** Codes of RFC 6749, 5.2, and RFC 8707. Any other text of an answer may repeat a secret. */
const knownErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
];

function readToken({ status, body }: OutgoingAnswer, audience: string | undefined) {
  if (status >= 500 || status === 429)
    throw new MintError('credential_service_unavailable', `${at} answered with status ${status}. Try again later.`);
  const answer = objectIn(body);
  if (status !== 200) throw refused(status, answer?.['error']);
  const text = answer?.['access_token'];
  if (!answer || typeof text !== 'string' || !/^[\x21-\x7e]{1,32768}$/.test(text)) throw malformed('it has none');
  if (audience !== undefined && isForOthers(text, audience)) throw malformed('it is for another audience');
  return { answer, text };
}

function refused(status: number, error: unknown): MintError {
  const why = knownErrors.find((known) => known === error) ?? `status ${status}`;
  return new MintError(
    'credential_mint_failed',
    `${at} refused the request (${why}). Create a Connection with valid inputs and bind that.`,
  );
}
