import type { RawAnswer } from '../harness.ts';

/** Address of the server, as people and clients know it. */
export const publicUrl = 'https://ground.example';

export const locationOf = ({ headers }: RawAnswer): URL => new URL(headers.location ?? '', publicUrl);

/** Returns the parameters of an answer at the redirect of a client, from its query or its fragment. */
export const parametersOf = ({ search, hash }: URL): URLSearchParams =>
  new URLSearchParams(/(?:^|[#&])(?:error|code)=/.test(hash) ? hash.slice(1) : search);

/**
 * Returns the result of a request in short: `sign-in`, `consent`, `redirect invalid_scope`, `400 invalid_grant`,
 * `400 page` or `200`. An answer at a redirect without the issuer (RFC 9207, 2) is an error.
 */
export function outcomeOf(answer: RawAnswer): string {
  const { status, headers, json } = answer;
  if (headers.location !== undefined) return redirectOutcome(locationOf(answer));
  if (headers['content-type']?.startsWith('text/html')) return `${status} page`;
  const { error, active } = (json || {}) as { error?: string | { code: string }; active?: boolean };
  if (active === false) return 'inactive';
  return error === undefined ? String(status) : `${status} ${typeof error === 'string' ? error : error.code}`;
}

function redirectOutcome(location: URL): string {
  if (location.origin === publicUrl) return location.pathname.startsWith('/oauth/consent/') ? 'consent' : 'sign-in';
  const parameters = parametersOf(location);
  if (parameters.get('iss') !== publicUrl) throw new Error('The answer at the redirect does not name the issuer.');
  return `redirect ${parameters.get('error') ?? 'code'}`;
}
