import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates } from 'node:tls';
import type { Secret } from '#server/kernel/secret';

/** Sends a form to another machine; injected so that tests can replace the network. */
export type Outgoing = { caFile: string | undefined; httpsProxy: string | undefined };

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
  const { status, body } = await postForm(new URL(exchange.tokenUrl), form.toString(), outgoing).catch(
    (error: unknown) => {
      throw new ExchangeError(`the token address cannot be reached (${String((error as NodeJS.ErrnoException).code)})`);
    },
  );
  // A code host may answer status 200 without a token.
  const answer = status === 200 ? parse(body) : undefined;
  const { access_token: accessToken, expires_in: expiresIn } = answer ?? {};
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(accessToken))
    throw new ExchangeError(`the token address answered with status ${status} and no token`);
  return { accessToken, expiresIn: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : undefined };
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Does not follow redirects: form and secret are only for the registered address of the helper. */
function postForm(url: URL, form: string, { caFile, httpsProxy }: Outgoing): Promise<{ status: number; body: string }> {
  const secure = url.protocol === 'https:';
  const agent = secure
    ? new https.Agent({
        ...(caFile && { ca: [...getCACertificates('default'), readFileSync(caFile, 'utf8')] }),
        ...(httpsProxy && { proxyEnv: { HTTPS_PROXY: httpsProxy } }),
      })
    : new http.Agent();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
    accept: 'application/json',
    'user-agent': 'groundctl',
  };
  const options = { method: 'POST', headers, agent, signal: AbortSignal.timeout(timeoutMs) };
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = (secure ? https : http).request(url, options, (answer) => {
      let received = 0;
      answer.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBytes) request.destroy(new Error('too large'));
      });
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    request.on('error', reject);
    request.end(form);
  }).finally(() => agent.destroy());
}
