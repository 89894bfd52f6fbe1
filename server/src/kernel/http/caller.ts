import { type CredentialKind, type Role, rolesOf } from '#shared/permissions';

/** Scopes of a token and the one Workspace it is bound to; a generic token has none. */
type Token = { subject: string; tokenId: string; scopes: readonly string[]; workspaceId: string | undefined };

/** Account or operator that a bearer represents, whatever store it was found in. */
export type Bearer =
  | { kind: 'session'; subject: string; sessionId: string }
  | ({ kind: 'pat' } & Token)
  | ({ kind: 'oauth'; clientId: string } & Token);

/** Caller of a request, as identified by the gate. */
export type Principal =
  | (Extract<Bearer, { kind: 'session' }> & { via: 'bearer' | 'header' | 'cookie' })
  | Exclude<Bearer, { kind: 'session' }>
  | { kind: 'operator' }
  | { kind: 'public' };

/** Caller and request metadata that a handler receives besides its parsed input. */
export type Caller = {
  principal: Principal;
  requestId: string;
  /** Workspace of the record that path, query or body names, already checked for membership. */
  workspaceId: string | undefined;
  roles: readonly Role[];
  /** True when the path names the account of the caller, on a route with another rule for it (`ownAs`). */
  namesItself: boolean;
  idempotencyKey: string | undefined;
  /** Accepted media types and languages, as sent. */
  accept: string;
  acceptLanguage: string;
  /** The raw query without its `?`, for the one route that parses it more strictly. */
  search: string;
  lastEventId: string | undefined;
  /** Entity tags of the version that the caller changes, as sent. */
  ifMatch: string | undefined;
  /** `*` for a record that must not exist yet, as sent. */
  ifNoneMatch: string | undefined;
  userAgent: string | undefined;
  /** Origin under which the caller reached the server. */
  origin: string;
  /** The session token that authenticated the request, as presented. */
  sessionToken: string | undefined;
  /** Returns a cookie other than the session's. */
  findCookie: (name: string) => string | undefined;
};

/** Returns the credential kind of a principal in the permission table; undefined for the operator and the public. */
export function credentialOf(principal: Principal): CredentialKind | undefined {
  if (principal.kind === 'pat') return principal.workspaceId === undefined ? 'pat' : 'boundPat';
  return principal.kind === 'session' || principal.kind === 'oauth' ? principal.kind : undefined;
}

/** The one Workspace that a bound token, or any access token, can access; undefined when the caller can access all of its own. */
export const boundTo = ({ principal }: Caller): string | undefined =>
  'workspaceId' in principal ? principal.workspaceId : undefined;

/** Reports whether the caller may write directly, where a member may only propose: by role in the Workspace, the operator always. */
export const mayWrite = ({ principal, roles }: Caller): boolean =>
  principal.kind === 'operator' || roles.some((role) => rolesOf.W?.includes(role));

/** Returns the account of a request, also for a token; `operator` for the operator's bearer. */
export const actorOf = ({ principal }: Caller): string => ('subject' in principal ? principal.subject : principal.kind);
