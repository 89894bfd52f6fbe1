import type { IssuerAnswer } from '#server/drivers/issuer/index';
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

/** Names the realm of this server in every 401 (RFC 6749, 5.2; RFC 6750, 3). */
export function challenged(answer: IssuerAnswer, scheme: 'Basic' | 'Bearer'): IssuerAnswer {
  if (answer.status !== 401) return answer;
  const { error } = JSON.parse(answer.body) as { error?: string };
  const reason = scheme === 'Bearer' && error === 'invalid_token' ? `, error="${error}"` : '';
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': `${scheme} realm="${vendor}"${reason}` } };
}
