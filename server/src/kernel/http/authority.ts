import type { ErrorCode } from '#shared/errors';
import type { Endpoint } from '#shared/kernel/endpoint';
import { type CredentialKind, demandOf, type Role, rolesOf } from '#shared/permissions';
import { AppError, notFound } from '../errors.ts';
import { boundTo, type Caller, credentialOf, type Principal } from './caller.ts';
import type { GatePorts } from './ports.ts';
import { challenge } from './refusals.ts';

/** Input of an authorization decision: the route, and the gate's access to the domains. */
type Rule = { endpoint: Endpoint; ports: GatePorts };

/** Creates a 401 with its challenge, which names the error only when the request presented a credential (RFC 6750, 3). */
export const refuseCredential = (code: ErrorCode, message: string, presented: boolean): AppError =>
  new AppError(code, message, {
    headers: { 'www-authenticate': presented ? `${challenge}, error="${code}"` : challenge },
  });

const wrongKind: Partial<Record<ErrorCode, string>> = {
  invalid_session: 'This route requires an account session instead of a token. Sign in.',
  invalid_token: 'This route requires a personal access token as bearer token.',
};

/** Throws 401 or 403 unless a credential of this kind, with these scopes, may call the route. */
export function requireScope(principal: Principal, endpoint: Endpoint): void {
  const kind = credentialOf(principal);
  if (kind === undefined) return;
  const { scopes, lacking = 'insufficient_scope', refused } = demandOf(endpoint, kind);
  const code = refused && kind !== 'session' ? (endpoint.tokensFailAs ?? refused) : refused;
  if (code && code !== 'forbidden') throw refuseCredential(code, wrongKind[code] ?? '', true);
  if (principal.kind === 'oauth' && principal.workspaceId === undefined)
    throw new AppError('forbidden', 'This access token is for no Workspace.');
  const held = 'scopes' in principal ? principal.scopes : [];
  if (scopes && !scopes.some((scope) => held.includes(scope))) throw lackingScope(lacking, scopes[0] ?? '');
  if (code) throw new AppError(code, refusalFor(kind));
}

/** Reports whether the credential of a principal would be accepted by a route. */
export function holdsScope(principal: Principal, endpoint: Endpoint): boolean {
  try {
    requireScope(principal, endpoint);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const refusalFor = (kind: CredentialKind): string =>
  kind === 'oauth'
    ? 'The access token of an app or a login may not do this. Use the dashboard.'
    : 'A token of this kind may not call this route.';

function lackingScope(code: ErrorCode, scope: string): AppError {
  if (code !== 'insufficient_scope')
    return new AppError(code, 'The scopes of this token do not allow this. Use another token.');
  return new AppError(code, `This token lacks the scope ${scope}. Use another token.`, {
    headers: { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** Requires, on a route without a Workspace, that the account of a bound token is still a member of the token's Workspace. */
export function requireBoundMembership(caller: Caller, { endpoint, ports }: Rule): void {
  const workspaceId = boundTo(caller);
  if (endpoint.class === 'A' && workspaceId !== undefined && rolesIn(caller, workspaceId, ports) === undefined)
    throw inactive();
}

/** Throws 403 `forbidden` unless the caller is the local owner, on routes that concern the installation itself. */
export function requireLocalOwner({ principal }: Caller, { endpoint, ports }: Rule): void {
  if (!endpoint.localOwner || !('subject' in principal) || ports.isLocalOwner(principal.subject)) return;
  throw new AppError('forbidden', 'Only the owner of this installation may do this.');
}

const inactive = (): AppError =>
  new AppError(
    'workspace_membership_inactive',
    'This token is bound to a Workspace that its account is no longer a member of. Use another token.',
  );

/** Requires that the record named by a parameter exists (404) and that the caller may access its Workspace (403). */
export function authorizeNamed(caller: Caller, [name, value]: [name: string, value: string], rule: Rule): void {
  const { ports } = rule;
  const find = ports.workspaceOf[name];
  if (!find) return;
  const workspaceId = find(value);
  const conceal = ports.concealed[name];
  if (workspaceId === undefined) throw conceal?.() ?? notFound(name === 'workspaceId' ? 'Workspace' : 'record');
  if (workspaceId === null) return;
  if (conceal && isOutside(caller, workspaceId, ports)) throw conceal();
  caller.workspaceId = workspaceId;
  caller.roles = authorizeWorkspace(caller, workspaceId, rule);
}

function isOutside(caller: Caller, workspaceId: string, ports: GatePorts): boolean {
  const bound = boundTo(caller);
  if (bound !== undefined) return bound !== workspaceId;
  return 'subject' in caller.principal && rolesIn(caller, workspaceId, ports) === undefined;
}

const rolesIn = ({ principal }: Caller, workspaceId: string, ports: GatePorts): readonly Role[] | undefined =>
  'subject' in principal ? ports.findRoles(workspaceId, principal.subject) : undefined;

/** Returns the caller's current roles in a Workspace when they suffice for the route. Throws 403 otherwise. */
function authorizeWorkspace(caller: Caller, workspaceId: string, rule: Rule): readonly Role[] {
  const { endpoint, ports } = rule;
  if (!('subject' in caller.principal)) return [];
  const bound = boundTo(caller);
  if (bound !== undefined && bound !== workspaceId)
    throw new AppError('forbidden', 'This token is bound to another Workspace. Use another token.');
  const roles = rolesIn(caller, workspaceId, ports);
  if (bound !== undefined && roles === undefined) throw inactive();
  const needed = rolesOf[endpoint.class];
  if (!needed || roles?.some((role) => needed.includes(role)) || isOwnRecord(caller, endpoint)) return roles ?? [];
  throw new AppError('forbidden', 'Your role in this Workspace does not allow this. Ask an owner.');
}

/** Reports whether the path names the caller's own membership, which needs fewer rights than those of others. */
const isOwnRecord = (caller: Caller, endpoint: Endpoint): boolean =>
  endpoint.ownAs !== undefined && caller.namesItself && boundTo(caller) === undefined;

/**
 * Checks again inside the write that the credential is valid, the membership suffices and the write permission still
 * holds, so that a role removed since the first check ends the request.
 */
export function reauthorize(caller: Caller, rule: Rule): void {
  const { endpoint, ports } = rule;
  if ('subject' in caller.principal && !isStillKnown(caller, ports))
    throw new AppError('forbidden', 'The credential of this request has ended. Sign in again.');
  requireBoundMembership(caller, rule);
  if (caller.workspaceId === undefined) return;
  const roles = authorizeWorkspace(caller, caller.workspaceId, rule);
  const lost = endpoint.class === 'propose' && mayWriteAs(caller.roles) && !mayWriteAs(roles);
  if (lost) throw new AppError('forbidden', 'Your role in this Workspace was changed. Reload and try again.');
  caller.roles = roles;
}

const mayWriteAs = (roles: readonly Role[]): boolean => roles.some((role) => rolesOf.W?.includes(role));

function isStillKnown({ principal, sessionToken = '' }: Caller, ports: GatePorts): boolean {
  if (principal.kind === 'session' && principal.via !== 'bearer') return ports.findSession(sessionToken) !== undefined;
  return ports.findBearer(sessionToken)?.kind === principal.kind;
}

/** Reports whether the credential and the membership of an open stream are still valid. */
export function isStillAllowed(caller: Caller, rule: Rule): boolean {
  try {
    reauthorize(caller, rule);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
