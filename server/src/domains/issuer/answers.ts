import type { IssuerAnswer } from '#server/drivers/issuer/index';
import type { RefusalPage } from '#server/kernel/errors';
import type { RawReply } from '#server/kernel/http/index';

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
