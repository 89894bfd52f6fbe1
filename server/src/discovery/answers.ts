import type { ErrorCode } from '#shared/errors';
import type { Endpoint } from '#shared/kernel/endpoint';
import { rolesOf } from '#shared/permissions';

/** May a request carry an `Idempotency-Key` here? */
export const takesKey = (endpoint: Endpoint): boolean =>
  endpoint.method !== 'GET' && endpoint.class !== 'X' && endpoint.idempotency !== 'none';

/** The answers of an endpoint by status: its own, and 200 for a repeated key where the first answer was 201 or 202. */
export function repliesOf(endpoint: Endpoint): Endpoint['replies'] {
  const { replies } = endpoint;
  const first = replies[201] ?? replies[202];
  return first && takesKey(endpoint) ? { 200: first, ...replies } : replies;
}

/** Codes an endpoint can answer: those of its class, its input and its idempotency, and its own. */
export function refusalsOf(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['misdirected_request', 'invalid_request', 'internal_error'];
  if (endpoint.class === 'Op') codes.push('unauthenticated', 'csrf_failed');
  else if (endpoint.class !== 'X') codes.push('invalid_session', 'invalid_token', 'csrf_failed', 'forbidden');
  else if (endpoint.method !== 'GET') codes.push('csrf_failed');
  if (endpoint.params || endpoint.workspaceIn) codes.push('not_found');
  if (endpoint.method !== 'GET' && endpoint.class in rolesOf && !endpoint.whenArchived)
    codes.push('failed_precondition');
  if (endpoint.method !== 'GET') codes.push('request_too_large', 'ledger_read_only');
  if (endpoint.method !== 'GET' && !endpoint.rawBody) codes.push('invalid_json', 'unsupported_media_type');
  if (!endpoint.whileSealed) codes.push('vault_sealed');
  if (takesKey(endpoint)) codes.push('idempotency_conflict');
  if (endpoint.idempotency === 'required') codes.push('idempotency_key_required');
  return [...new Set([...codes, ...(endpoint.errors ?? [])])];
}
