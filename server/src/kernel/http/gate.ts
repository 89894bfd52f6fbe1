import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '#shared/errors';
import type { Endpoint, PermissionClass } from '#shared/kernel/endpoint';
import { type Role, rolesOf } from '#shared/permissions';
import { sessionHeader } from '#shared/vendor';
import { AppError, notFound } from '../errors.ts';
import { isLoopbackHost } from '../settings.ts';
import type { Caller, Principal } from './caller.ts';
import { challenge } from './refusals.ts';

/** What the gate has to ask of the rooms; given by the composition. */
export type GatePorts = {
  /** Exact `Host` values, with port, under which the server answers. */
  allowsHost(host: string): boolean;
  /** `http://` and the caller's own host: the only origin that may write with a cookie. */
  originOf(host: string): string;
  cookieName: string;
  /** Why nothing but health, discovery and unsealing is answered at the moment, or undefined. */
  findSealRefusal(): AppError | undefined;
  /** Why writes are refused at the moment, or undefined. */
  findWriteRefusal(): AppError | undefined;
  findSession(token: string): { subject: string; sessionId: string } | undefined;
  isOperator(token: string): boolean;
  /** Workspace of the record that a parameter names: undefined when there is no such record, null when it belongs to none. */
  workspaceOf: Readonly<Record<string, (id: string) => string | null | undefined>>;
  /** Records that nobody outside of their Workspace is told of, by the parameter that names them: what to say instead. */
  concealed: Readonly<Record<string, () => AppError>>;
  findRoles(workspaceId: string, subject: string): readonly Role[] | undefined;
  /** 409 `workspace_archived`. */
  requireLive(workspaceId: string): void;
};

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

const reads = new Set(['GET', 'HEAD']);

/** Runs before every handler and every static file, in this order: host, vault, writability, origin, credential, record, membership. */
export function installGate(app: FastifyInstance, ports: GatePorts): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.addHook('onRequest', async (request) => {
    const endpoint = request.routeOptions.config.endpoint;
    checkHost(request, endpoint, ports);
    const presented = findCredential(request, ports.cookieName);
    request.caller = callerOf(request, presented, ports);
    if (!endpoint) return;
    const refusal =
      (endpoint.whileSealed ? undefined : ports.findSealRefusal()) ??
      (reads.has(request.method) ? undefined : ports.findWriteRefusal());
    if (refusal) throw refusal;
    checkOrigin(request, endpoint, { ports, cookie: endpoint.class !== 'X' && presented?.via === 'cookie' });
    request.caller.principal = authenticate(endpoint, presented, ports);
    authorizeRecord(request, endpoint, ports);
  });
}

function checkHost(request: FastifyRequest, endpoint: Endpoint | undefined, ports: GatePorts): void {
  const hosts = request.raw.rawHeaders
    .filter((_, index) => index % 2 === 0)
    .filter((name) => name.toLowerCase() === 'host');
  if (hosts.length !== 1 || !request.raw.url?.startsWith('/'))
    throw new AppError('invalid_request', 'The request cannot be read.', { headers: { connection: 'close' } });
  if (endpoint?.anyHost && isLoopbackHost(request.ip)) return;
  if (!ports.allowsHost(request.headers.host ?? '')) {
    throw new AppError(
      'misdirected_request',
      'This server does not answer under that host name. Use the address it printed at its start.',
    );
  }
}

function callerOf(request: FastifyRequest, presented: Presented | undefined, ports: GatePorts): Caller {
  const header = (name: string) =>
    typeof request.headers[name] === 'string' ? (request.headers[name] as string) : undefined;
  return {
    principal: { kind: 'public' },
    requestId: request.id,
    workspaceId: undefined,
    roles: [],
    idempotencyKey: header('idempotency-key'),
    accept: header('accept') ?? '',
    acceptLanguage: header('accept-language') ?? '',
    search: request.url.replace(/^[^?]*\??/, ''),
    lastEventId: header('last-event-id'),
    userAgent: header('user-agent'),
    origin: ports.originOf(request.headers.host ?? ''),
    sessionToken: presented?.token,
  };
}

type Presented = { token: string | undefined; via: 'bearer' | 'header' | 'cookie' };

/** `Authorization`, then the session header, then the cookie: the first one present decides, and its failure never falls through. */
function findCredential(request: FastifyRequest, cookieName: string): Presented | undefined {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) return { token: /^bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1], via: 'bearer' };
  const header = request.headers[sessionHeader];
  if (header !== undefined) return { token: typeof header === 'string' ? header : undefined, via: 'header' };
  const cookie = findCookie(request.headers.cookie, cookieName);
  return cookie === undefined ? undefined : { token: cookie, via: 'cookie' };
}

function findCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}

/** A page of another origin neither reads nor writes here; public reads are open. */
function checkOrigin(
  request: FastifyRequest,
  endpoint: Endpoint,
  { ports, cookie }: { ports: GatePorts; cookie: boolean },
): void {
  if (endpoint.class === 'X' && reads.has(request.method)) return;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const own = ports.originOf(request.headers.host ?? '');
  const foreign =
    (origin !== undefined && origin !== own) || (site !== undefined && site !== 'same-origin' && site !== 'none');
  const unproven = cookie && !reads.has(request.method) && origin === undefined;
  if (foreign || unproven) throw new AppError('csrf_failed', 'A page of another origin may not call this server.');
}

/** The challenge names the error only to somebody who presented a credential (RFC 6750, 3). */
const refuseCredential = (code: ErrorCode, message: string, presented: Presented | undefined): AppError =>
  new AppError(code, message, {
    headers: { 'www-authenticate': presented ? `${challenge}, error="${code}"` : challenge },
  });

function authenticate(endpoint: Endpoint, presented: Presented | undefined, ports: GatePorts): Principal {
  if (endpoint.class === 'X') return { kind: 'public' };
  if (endpoint.class === 'Op') {
    if (presented?.via === 'bearer' && presented.token && ports.isOperator(presented.token))
      return { kind: 'operator' };
    throw refuseCredential(
      'unauthenticated',
      'This route takes the operator token as bearer. It stands in the data folder, in operator-token.',
      presented,
    );
  }
  if (!presented)
    throw refuseCredential('invalid_session', 'Sign in first: this request carries no session.', presented);
  const session = presented.token ? ports.findSession(presented.token) : undefined;
  if (session) return { kind: 'session', ...session, via: presented.via };
  if (presented.via === 'bearer')
    throw refuseCredential('invalid_token', 'The bearer token is not known or no longer valid.', presented);
  throw refuseCredential('invalid_session', 'The session is not known or has ended. Sign in again.', presented);
}

function authorizeRecord(request: FastifyRequest, endpoint: Endpoint, ports: GatePorts): void {
  const [named] = Object.entries((request.params ?? {}) as Record<string, string>);
  if (named)
    authorizeNamed(request.caller, [endpoint.recordAs ?? named[0], named[1]], { class: endpoint.class, ports });
}

/** The record that a parameter names must be there (404), and the caller in its Workspace (403). */
export function authorizeNamed(
  caller: Caller,
  [name, value]: [name: string, value: string],
  rule: { class: PermissionClass; ports: GatePorts },
): void {
  const find = rule.ports.workspaceOf[name];
  if (!find) return;
  const workspaceId = find(value);
  const conceal = rule.ports.concealed[name];
  if (workspaceId === undefined) throw conceal?.() ?? notFound(name === 'workspaceId' ? 'Workspace' : 'record');
  if (workspaceId === null) return;
  if (conceal && isOutside(caller, workspaceId, rule.ports)) throw conceal();
  caller.workspaceId = workspaceId;
  caller.roles = authorizeWorkspace(caller, workspaceId, rule);
}

const isOutside = ({ principal }: Caller, workspaceId: string, ports: GatePorts): boolean =>
  principal.kind === 'session' && ports.findRoles(workspaceId, principal.subject) === undefined;

/** The caller's live roles in a Workspace, when they suffice for the class. 403 `forbidden` otherwise. */
export function authorizeWorkspace(
  caller: Caller,
  workspaceId: string,
  rule: { class: PermissionClass; ports: GatePorts },
): readonly Role[] {
  const roles = findAllowedRoles(caller, workspaceId, rule);
  if (!roles) throw new AppError('forbidden', 'Your role in this Workspace does not allow this.');
  return roles;
}

function findAllowedRoles(
  { principal }: Caller,
  workspaceId: string,
  rule: { class: PermissionClass; ports: GatePorts },
): readonly Role[] | undefined {
  if (principal.kind !== 'session') return [];
  const roles = rule.ports.findRoles(workspaceId, principal.subject);
  const needed = rolesOf[rule.class];
  return roles && needed && !roles.some((role) => needed.includes(role)) ? undefined : roles;
}

/** Whether the session and the membership that opened a long answer still hold. */
export function isStillAllowed(caller: Caller, rule: { class: PermissionClass; ports: GatePorts }): boolean {
  const { principal, sessionToken, workspaceId } = caller;
  if (principal.kind === 'session' && rule.ports.findSession(sessionToken ?? '') === undefined) return false;
  return workspaceId === undefined || findAllowedRoles(caller, workspaceId, rule) !== undefined;
}
