import { type Role, rolesOf } from '#shared/permissions';

/** Who is calling, as the gate found it. */
export type Principal =
  | { kind: 'session'; subject: string; sessionId: string; via: 'bearer' | 'header' | 'cookie' }
  | { kind: 'operator' }
  | { kind: 'public' };

/** What a handler may know of its caller and of the request around its parsed input. */
export type Caller = {
  principal: Principal;
  requestId: string;
  /** Workspace of the record that path, query or body names, already checked for membership. */
  workspaceId: string | undefined;
  roles: readonly Role[];
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
  /** The credential that decides, unchecked, for the one public route that looks at it. */
  sessionToken: string | undefined;
};

/** Whether a caller may do what a member may only propose: a person by their role, the operator always. */
export const mayWrite = ({ principal, roles }: Caller): boolean =>
  principal.kind !== 'session' || roles.some((role) => rolesOf.W?.includes(role));

/** The account behind a request; `operator` for the operator's bearer. */
export const actorOf = ({ principal }: Caller): string => {
  if (principal.kind === 'session') return principal.subject;
  return principal.kind;
};
