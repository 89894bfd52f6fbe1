import { type IssuerAnswer, outage } from '#server/drivers/issuer/index';
import type { RefusalPage } from '#server/kernel/errors';
import type { RawReply } from '#server/kernel/http/index';
import { vendor } from '#shared/vendor';

export const rawOf = ({ status, headers, body }: IssuerAnswer): RawReply => ({ raw: { status, headers, text: body } });

export const redirectRaw = (status: 302 | 303, location: string): RawReply => ({
  raw: { status, headers: { location }, text: '' },
});

/** An error in the form of RFC 6749, 5.2. */
export const flat = (status: number, error: string, description: string): RawReply => ({
  raw: {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    text: JSON.stringify({ error, error_description: description }),
  },
});

export const pageRaw = (status: number, { html, policy }: RefusalPage): RawReply => ({
  raw: {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    text: html,
  },
});

const json = { 'content-type': 'application/json; charset=utf-8' };
const refusal = (error: string, description: string): IssuerAnswer => ({
  status: 401,
  headers: json,
  body: JSON.stringify({ error, error_description: description }),
});

/** A client that does not name itself, or authenticates in a way that is not supported (RFC 6749, 5.2). */
export const unauthenticated = (description: string): IssuerAnswer => refusal('invalid_client', description);

/** A request without an access token, or with one that is not sent as a bearer (RFC 6750, 2.1). */
export const tokenMissing = (): IssuerAnswer => refusal('invalid_token', 'Send an access token as bearer.');

/** The ledger takes no writes for now. */
export const unavailable: IssuerAnswer = { status: 503, headers: json, body: JSON.stringify(outage) };

/** Names the realm of this server in a 401 for a client (RFC 6749, 5.2). */
export const challengeClient = (answer: IssuerAnswer): IssuerAnswer => withChallenge(answer, 'Basic');

/** Names the realm of this server in a 401 for a bearer, with the error when a credential was presented (RFC 6750, 3). */
export function challengeBearer(answer: IssuerAnswer, { isPresented }: { isPresented: boolean }): IssuerAnswer {
  const { error } = answer.status === 401 ? (JSON.parse(answer.body) as { error: string }) : { error: '' };
  return withChallenge(answer, 'Bearer', isPresented ? `, error="${error}"` : '');
}

function withChallenge(answer: IssuerAnswer, scheme: 'Basic' | 'Bearer', reason = ''): IssuerAnswer {
  if (answer.status !== 401) return answer;
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': `${scheme} realm="${vendor}"${reason}` } };
}
