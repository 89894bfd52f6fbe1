import { parseCookie } from 'cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Endpoint } from '#shared/kernel/endpoint';
import { sessionHeader } from '#shared/vendor';
import { AppError, nothingHere } from '../errors.ts';
import {
  authorizeNamed,
  refuseCredential,
  requireBoundMembership,
  requireLocalOwner,
  requireScope,
} from './authority.ts';
import { actorOf, type Caller, type Principal } from './caller.ts';
import type { GatePorts } from './ports.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

const reads = new Set(['GET', 'HEAD']);

/**
 * Runs before every handler and every static file, in this order: host, vault, writability, rate, origin, credential,
 * rate of the account, kind and scope, record, membership.
 */
export function installGate(app: FastifyInstance, ports: GatePorts): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.addHook('onRequest', async (request) => {
    const endpoint = request.routeOptions.config.endpoint;
    ports.ingress.requireHost(request, endpoint);
    const presented = findCredential(request, endpoint, ports.cookieName);
    request.caller = callerOf(request, presented, ports);
    if (ports.ingress.isHidden(request, endpoint, presented?.token)) throw nothingHere();
    if (!endpoint) return;
    const refusal = findRefusal(endpoint, ports);
    if (refusal) throw refusal;
    ports.rates.takeUnknown(endpoint, request);
    checkOrigin(request, endpoint, {
      ports,
      cookie: endpoint.class !== 'X' && !endpoint.bearerOnly && presented?.via === 'cookie',
    });
    const principal = authenticate(endpoint, presented, ports);
    request.caller.principal = principal;
    ports.rates.takeAccount(endpoint, principal);
    requireScope(principal, endpoint);
    // Reading the authority of a token is not recorded as a use of it.
    if (endpoint.class !== 'P') ports.noteUse(principal);
    requireBoundMembership(request.caller, { endpoint, ports });
    requireLocalOwner(request.caller, { endpoint, ports });
    authorizeRecord(request, endpoint, ports);
  });
}

const isWrite = ({ method, whileReadOnly }: Endpoint) => !reads.has(method) && !whileReadOnly;

/** Returns the reason why the server answers no such request now. */
const findRefusal = (endpoint: Endpoint, ports: GatePorts) =>
  (endpoint.whileSealed ? undefined : ports.findSealRefusal()) ??
  (isWrite(endpoint) ? ports.findWriteRefusal() : undefined) ??
  (endpoint.capability && ports.findCapabilityRefusal(endpoint.capability));

function callerOf(request: FastifyRequest, presented: Presented | undefined, ports: GatePorts): Caller {
  const header = (name: string) =>
    typeof request.headers[name] === 'string' ? (request.headers[name] as string) : undefined;
  return {
    principal: { kind: 'public' },
    requestId: request.id,
    workspaceId: undefined,
    roles: [],
    namesItself: false,
    idempotencyKey: header('idempotency-key'),
    accept: header('accept') ?? '',
    acceptLanguage: header('accept-language') ?? '',
    search: request.url.replace(/^[^?]*\??/, ''),
    lastEventId: header('last-event-id'),
    ifMatch: header('if-match'),
    ifNoneMatch: header('if-none-match'),
    userAgent: header('user-agent'),
    origin: ports.ingress.originOf(request),
    sessionToken: presented?.token,
    findCookie: (name) => findCookie(request.headers.cookie, name),
  };
}

type Presented = { token: string | undefined; via: 'bearer' | 'header' | 'cookie' };

/**
 * Finds the credential: `Authorization`, then the session header, then the cookie. The first one present decides, and
 * its failure never falls through to the next.
 */
function findCredential(
  request: FastifyRequest,
  endpoint: Endpoint | undefined,
  cookieName: string,
): Presented | undefined {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) return { token: /^bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1], via: 'bearer' };
  if (endpoint?.class === 'P') return undefined;
  const header = request.headers[sessionHeader];
  if (header !== undefined) return { token: typeof header === 'string' ? header : undefined, via: 'header' };
  const cookie = findCookie(request.headers.cookie, cookieName);
  return cookie === undefined ? undefined : { token: cookie, via: 'cookie' };
}

const findCookie = (header: string | undefined, name: string): string | undefined => parseCookie(header ?? '')[name];

/** Refuses a page of another origin, for reads and writes. Public reads are open. */
function checkOrigin(
  request: FastifyRequest,
  endpoint: Endpoint,
  { ports, cookie }: { ports: GatePorts; cookie: boolean },
): void {
  if (endpoint.class === 'X' && reads.has(request.method)) return;
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const own = ports.ingress.originOf(request);
  const foreign =
    (origin !== undefined && origin !== own) || (site !== undefined && site !== 'same-origin' && site !== 'none');
  const unproven = cookie && !reads.has(request.method) && origin === undefined;
  if (foreign || unproven) throw new AppError('csrf_failed', 'A page of another origin may not call this server.');
}

function authenticate(endpoint: Endpoint, presented: Presented | undefined, ports: GatePorts): Principal {
  if (endpoint.class === 'X') return { kind: 'public' };
  if (endpoint.class === 'Op') return authenticateOperator(presented, ports);
  if (endpoint.bearerOnly) return authenticateBearer(presented, 'unauthenticated', ports);
  const failure = endpoint.failsAs ?? (endpoint.class === 'P' ? 'invalid_token' : undefined);
  if (!presented)
    throw refuseCredential(failure ?? 'invalid_session', 'Sign in first: this request carries no credential.', false);
  if (presented.via === 'bearer') return authenticateBearer(presented, 'invalid_token', ports);
  const { token = '', via } = presented;
  const session = ports.findSession(token);
  if (session) return { kind: 'session', ...session, via };
  throw refuseCredential(failure ?? 'invalid_session', 'The session is unknown or has ended. Sign in again.', true);
}

function authenticateBearer(
  presented: Presented | undefined,
  failure: 'invalid_token' | 'unauthenticated',
  ports: GatePorts,
): Principal {
  if (presented?.via !== 'bearer')
    throw refuseCredential(failure, 'Send a bearer token: a session in a cookie is not accepted here.', false);
  const bearer = ports.findBearer(presented.token ?? '');
  if (bearer) return bearer.kind === 'session' ? { ...bearer, via: presented.via } : bearer;
  throw refuseCredential(failure, 'The bearer token is unknown or no longer valid. Use another token.', true);
}

function authenticateOperator(presented: Presented | undefined, ports: GatePorts): Principal {
  if (presented?.via === 'bearer' && presented.token && ports.isOperator(presented.token)) return { kind: 'operator' };
  throw refuseCredential(
    'unauthenticated',
    'This route requires the operator token as bearer token. It is in the file operator-token of the data folder.',
    presented !== undefined,
  );
}

function authorizeRecord(request: FastifyRequest, endpoint: Endpoint, ports: GatePorts): void {
  const params = (request.params ?? {}) as Record<string, string>;
  const { caller } = request;
  caller.namesItself = endpoint.ownAs !== undefined && params[endpoint.ownAs] === actorOf(caller);
  const [named] = Object.entries(params);
  if (named) authorizeNamed(caller, [endpoint.recordAs ?? named[0], named[1]], { endpoint, ports });
}
