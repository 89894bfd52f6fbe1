import { type CredentialKind, type Role, rolesOf } from '#shared/permissions';

/** Scopes of a token and the one Workspace it is bound to; a generic token has none. */
type Token = { subject: string; tokenId: string; scopes: readonly string[]; workspaceId: string | undefined };

/** Whom a bearer stands for, whatever store it was found in. */
export type Bearer =
  | { kind: 'session'; subject: string; sessionId: string }
  | ({ kind: 'pat' } & Token)
  | ({ kind: 'oauth'; clientId: string } & Token);

/** Who is calling, as the gate found it. */
export type Principal =
  | (Extract<Bearer, { kind: 'session' }> & { via: 'bearer' | 'header' | 'cookie' })
  | Exclude<Bearer, { kind: 'session' }>
  | { kind: 'operator' }
  | { kind: 'public' };

/** What a handler may know of its caller and of the request around its parsed input. */
export type Caller = {
  principal: Principal;
  requestId: string;
  /** Workspace of the record that path, query or body names, already checked for membership. */
  workspaceId: string | undefined;
  roles: readonly Role[];
  /** The path names the account of the caller, on a route that treats it otherwise than others (`ownAs`). */
  namesItself: boolean;
  idempotencyKey: string | undefined;
  /** Media types and languages the caller accepts, as sent. */
  accept: string;
  acceptLanguage: string;
  /** The query as it was sent, without its `?`, for the one route that reads it more strictly than others. */
  search: string;
  lastEventId: string | undefined;
  userAgent: string | undefined;
  /** Origin under which the caller reached the server. */
  origin: string;
  /** The credential that decides, as it was presented. */
  sessionToken: string | undefined;
  /** A cookie of another name than the session's. */
  findCookie: (name: string) => string | undefined;
};

/** The row of the permission table that a principal stands in; undefined for the operator and the public. */
export function credentialOf(principal: Principal): CredentialKind | undefined {
  if (principal.kind === 'pat') return principal.workspaceId === undefined ? 'pat' : 'boundPat';
  return principal.kind === 'session' || principal.kind === 'oauth' ? principal.kind : undefined;
}

/** The one Workspace that a bound token, or any access token, sees; undefined for whoever sees all of its own. */
export const boundTo = ({ principal }: Caller): string | undefined =>
  'workspaceId' in principal ? principal.workspaceId : undefined;

/** Whether a caller may do what a member may only propose: by role in the Workspace, the operator always. */
export const mayWrite = ({ principal, roles }: Caller): boolean =>
  principal.kind === 'operator' || roles.some((role) => rolesOf.W?.includes(role));

/** The account behind a request; `operator` for the operator's bearer. A token stands for its account. */
export const actorOf = ({ principal }: Caller): string => ('subject' in principal ? principal.subject : principal.kind);
