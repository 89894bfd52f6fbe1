import { readFileSync } from 'node:fs';
import { Secret } from '#server/kernel/secret';
import { isJsonObject, type JsonObject } from '#shared/kernel/json';
import { connectionLimits } from '#shared/limits';
import { vendor } from '#shared/vendor';
import { type Outgoing, type OutgoingAnswer, OutgoingError, sendOutgoing } from '../outgoing.ts';
import type { RunCredentialRequest } from '../schema.ts';
import type { CredentialService } from './credential-services.ts';
import { MintError, mintTarget } from './mint-error.ts';
import { type Minted, objectIn } from './minted.ts';
import { isAudience, isForOthers } from './token-audience.ts';

export const requestKind = `${vendor}.run-credential-request@v1`;

export type IssuedCredential = Minted & { id: string };
export type ServiceHost = { outgoing: Outgoing; timeoutMs: number; maxBytes: number };
type Call = { now: number; signal: AbortSignal };

/** A request that issued nothing, or nothing that can be named. `id` is that of a credential that must be revoked. */
export class IssueError extends MintError {
  readonly issued: 'nothing' | 'unknown' | { id: string };
  constructor(code: MintError['code'], message: string, issued: IssueError['issued']) {
    super(code, message);
    this.issued = issued;
  }
}

const at = `The credential service of the Connection bound to ${mintTarget}`;
const unavailable = (why: string, issued: IssueError['issued']) =>
  new IssueError('credential_service_unavailable', `${at} ${why}. Try again later, or ask the operator.`, issued);
const unusable = (why: string, issued: IssueError['issued']) =>
  new IssueError('credential_mint_failed', `${at} gave no usable credentials: ${why}. Ask the operator.`, issued);

export const noService = () => unavailable('is not configured on this server', 'nothing');

/** Requests credentials for a Run. A repeated request with the same key gets the same ones. Throws `IssueError`. */
export async function issueCredential(
  service: CredentialService,
  { key, request }: { key: string; request: RunCredentialRequest },
  host: ServiceHost,
  { now, signal }: Call,
): Promise<IssuedCredential> {
  const url = new URL(service.url);
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'idempotency-key': key };
  const sent = { method: 'POST' as const, url, headers, body: JSON.stringify(request), signal };
  const answer = await send(service, sent, host).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof IssueError) throw error;
    const reason = error instanceof OutgoingError ? error.reason : 'unknown';
    if (reason === 'too_large') throw unusable('its answer is too large', 'unknown');
    throw unavailable('did not answer', reason === 'unreachable' ? 'nothing' : 'unknown');
  });
  return readCredential(answer, request, now);
}

/** Revokes a credential. Resolves to true when it no longer exists. Throws when the service did not answer. */
export async function revokeCredential(
  service: CredentialService,
  id: string,
  host: ServiceHost,
  signal: AbortSignal,
): Promise<boolean> {
  const url = new URL(service.url);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(id)}`;
  const { status } = await send(service, { method: 'DELETE', url, headers: {}, signal }, host);
  return (status >= 200 && status < 300) || status === 404 || status === 410;
}

type Sent = {
  method: 'POST' | 'DELETE';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
};

/** The token is read at each use, so that its file may be replaced. */
async function send(service: CredentialService, sent: Sent, { outgoing, ...bounds }: ServiceHost) {
  const headers = { ...sent.headers, authorization: `Bearer ${readToken(service).reveal()}` };
  return sendOutgoing({ ...sent, ...bounds, headers }, { ...outgoing, caFile: service.caFile ?? outgoing.caFile });
}

function readToken({ tokenFile }: CredentialService): Secret {
  try {
    return new Secret(readFileSync(tokenFile, 'utf8').trim());
  } catch {
    throw unavailable('has no readable token file on this server', 'nothing');
  }
}

const namedId = /^(?!\.{1,2}$)[\x21-\x7e]{1,256}$/;

function readCredential({ status, body }: OutgoingAnswer, request: RunCredentialRequest, now: number) {
  if (status >= 500 || status === 429) throw unavailable(`answered with status ${status}`, 'unknown');
  if (status > 200 && status < 300) throw unusable(`its answer has status ${status} instead of 200`, 'unknown');
  if (status !== 200)
    throw new IssueError(
      'credential_mint_failed',
      `${at} refused to issue credentials for this Run (status ${status}). Ask the operator.`,
      'nothing',
    );
  const answer = objectIn(body) ?? {};
  const { id, audience } = answer;
  if (typeof id !== 'string' || !namedId.test(id)) throw unusable('its answer has no id', 'unknown');
  const values = valuesIn(answer, id);
  const expiresAt = expiryIn(answer, id);
  if (expiresAt <= now) throw unusable('they have expired already', { id });
  const texts = [...values.values()].map((value) => value.reveal());
  if (
    (audience !== undefined && !isAudience(audience, request.audience)) ||
    texts.some((text) => isForOthers(text, request.audience))
  )
    throw unusable('they are for another audience', { id });
  return { id, values, hidden: [], expiresAt };
}

function valuesIn({ values }: JsonObject, id: string): Map<string, Secret> {
  const entries = isJsonObject(values) ? Object.entries(values) : [];
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text !== '' && !text.includes('\0') && text.length <= connectionLimits.valueBytes;
  if (entries.length === 0 || entries.length > connectionLimits.values || !entries.every(([, text]) => isText(text)))
    throw unusable('its answer has no valid values', { id });
  return new Map(entries.map(([name, text]) => [name, new Secret(String(text))]));
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function expiryIn({ expiresAt }: JsonObject, id: string): number {
  const at = typeof expiresAt === 'string' && time.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN;
  if (Number.isNaN(at)) throw unusable('its answer has no valid expiry', { id });
  return at;
}
