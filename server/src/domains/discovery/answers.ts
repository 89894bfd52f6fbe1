import { type ErrorCode, errorStatus } from '#shared/errors';
import { type FormErrorCode, formCodeOf, formErrorStatus, formStatusOf } from '#shared/form-errors';
import { type Endpoint, isFormHost } from '#shared/kernel/endpoint';
import { type CredentialKind, demandOf, rolesOf } from '#shared/permissions';

/** True when a request may carry an `Idempotency-Key` here. */
export const takesKey = (endpoint: Endpoint): boolean =>
  endpoint.method !== 'GET' && endpoint.class !== 'X' && endpoint.idempotency !== 'none';

/** The answers of an endpoint by status: its own, and 200 for a repeated key where the first answer was 201 or 202. */
export function repliesOf(endpoint: Endpoint): Endpoint['replies'] {
  const { replies } = endpoint;
  const first = replies[201] ?? replies[202];
  return first && takesKey(endpoint) ? { 200: first, ...replies } : replies;
}

const credentialKinds: readonly CredentialKind[] = ['session', 'pat', 'boundPat', 'oauth'];

/** Kinds of credential that an endpoint accepts. */
export function takenKinds(endpoint: Endpoint): readonly CredentialKind[] {
  if (endpoint.class === 'X' || endpoint.class === 'Op') return [];
  return credentialKinds.filter((kind) => demandOf(endpoint, kind).refused === undefined);
}

/** Error codes for a caller whose credential is missing, invalid or insufficient. */
function credentialCodes(endpoint: Endpoint): ErrorCode[] {
  if (endpoint.class === 'Op') return ['unauthenticated', 'csrf_failed'];
  if (endpoint.class === 'X') return endpoint.method === 'GET' ? [] : ['csrf_failed'];
  const missing = endpoint.failsAs ?? 'invalid_session';
  const credentialErrors = credentialKinds.flatMap((kind): ErrorCode[] => {
    const { scopes, lacking, refused } = demandOf(endpoint, kind);
    const unscoped: ErrorCode[] = scopes ? [lacking ?? 'insufficient_scope'] : [];
    return refused ? [endpoint.tokensFailAs ?? refused, ...unscoped] : unscoped;
  });
  const bound: ErrorCode[] = takenKinds(endpoint).includes('boundPat') ? ['workspace_membership_inactive'] : [];
  return [missing, 'invalid_token', 'csrf_failed', 'forbidden', 'rate_limited', ...credentialErrors, ...bound];
}

const statuses: Readonly<Record<ErrorCode | FormErrorCode, number>> = { ...formErrorStatus, ...errorStatus };

/** Error codes of an endpoint by status: those of its class, its input and its idempotency, and its own. */
export function refusalsByStatus(endpoint: Endpoint): Map<number, (ErrorCode | FormErrorCode)[]> {
  const pairs = refusalsOf(endpoint).map((code) => {
    if (!isFormHost(endpoint)) return { code, status: statuses[code] };
    const formCode = formCodeOf(code, statuses[code]);
    return { code: formCode, status: formStatusOf(formCode, statuses[code]) };
  });
  return new Map(
    [...Map.groupBy(pairs, ({ status }) => status)].map(([status, of]) => [
      status,
      [...new Set(of.map(({ code }) => code))],
    ]),
  );
}

/** Error codes that the server raises for an endpoint, before a protocol renames them. */
export function refusalsOf(endpoint: Endpoint): (ErrorCode | FormErrorCode)[] {
  const codes: ErrorCode[] = [
    'misdirected_request',
    'invalid_request',
    'headers_too_large',
    'request_timeout',
    'internal_error',
    ...credentialCodes(endpoint),
  ];
  if (endpoint.params || endpoint.workspaceIn) codes.push('not_found');
  if (endpoint.method !== 'GET' && endpoint.class in rolesOf && !endpoint.whenArchived)
    codes.push('failed_precondition');
  // An unreadable `Content-Type` header is refused also where the media type does not matter.
  if (endpoint.method !== 'GET') codes.push('request_too_large', 'ledger_read_only', 'unsupported_media_type');
  if (endpoint.method !== 'GET' && !endpoint.rawBody) codes.push('invalid_json');
  // The routes of the form host protocol exist only where it is on.
  if (endpoint.capability && !isFormHost(endpoint)) codes.push('capability_not_available');
  if (!endpoint.whileSealed) codes.push('vault_sealed');
  if (takesKey(endpoint)) codes.push('idempotency_conflict');
  if (endpoint.idempotency === 'required') codes.push('idempotency_key_required');
  if (endpoint.rate !== undefined) codes.push('rate_limited');
  return [...new Set([...codes, ...(endpoint.errors ?? [])])];
}
