import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Api, type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { limits } from '#shared/limits';
import { AppError, nothingHere } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Ingress, markForOperator } from './ingress.ts';
import { fixedHeaders, installErrorHandler, refuse, refuseRaw } from './refusals.ts';

const maxHeaderBytes = 16_384;
const requestIdShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/i;

/** Where every answer, refusals too, tells caches of HTTP/1.0 as well that it is not to be kept (shapes 1.1). */
const noStorePaths = /^\/(?:api\/v1\/account\/tokens|oauth\/(?:token|userinfo|introspect))(?:[/?]|$)/;

/** A path that cannot be decoded is taken as the text it is: it names nothing, and does not go around the gate. */
function readableUrl(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** How long one connection may take: for its headers, for a request, and in silence; looked at every so often. */
export type Patience = { headersMs: number; requestMs: number; idleMs: number; checkIntervalMs: number };
const usualPatience: Patience = { headersMs: 10_000, requestMs: 30_000, idleMs: 120_000, checkIntervalMs: 1_000 };

const wireRules = ({ headersMs, requestMs, checkIntervalMs }: Patience) => ({
  maxHeaderSize: maxHeaderBytes,
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: checkIntervalMs,
  // A request without Host is refused by the gate, in the envelope.
  requireHostHeader: false,
});

export type HttpRules = {
  /** Browsers reach it by https. */
  secure: boolean;
  /** PEM texts of its own certificate. */
  tls?: { cert: string; key: string };
  /** For tests that do not want to wait. */
  patience?: Patience;
};

/** A Fastify instance with the product's rules on parsing, ids, headers and refusals, and no route yet. */
export function createHttp(log: Log, { secure, tls, patience = usualPatience }: HttpRules): FastifyInstance {
  const secureHeaders = secure ? { 'strict-transport-security': 'max-age=31536000' } : {};
  const app = Fastify({
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: patience.requestMs,
    connectionTimeout: patience.idleMs,
    // As long as a target may be: an over-long id has to meet the gate before it is not found.
    routerOptions: { maxParamLength: maxHeaderBytes },
    rewriteUrl: ({ url = '' }) => readableUrl(url),
    forceCloseConnections: true,
    ...(tls
      ? { https: { ...wireRules(patience), ...tls, minVersion: 'TLSv1.2' as const } }
      : { http: wireRules(patience) }),
    genReqId: (request) => {
      const requestId = request.headers['x-request-id'] ?? request.headers['x-correlation-id'];
      return typeof requestId === 'string' && requestIdShape.test(requestId) ? requestId : randomUUID();
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuseRaw(error, socket, secureHeaders),
  }) as unknown as FastifyInstance;
  // With a body, Fastify would refuse a QUERY without a media type before the route is looked up.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...fixedHeaders, ...secureHeaders });
    // By the route where there is one, because an address can be spelt in more than one way.
    if (noStorePaths.test(request.routeOptions.url ?? request.url)) reply.header('pragma', 'no-cache');
  });
  installErrorHandler(app, log);
  return app;
}

/** A second door to the same routes, in plain HTTP: requests that come in here are the operator's. */
export function createOperatorServer(app: FastifyInstance): Server {
  const server = createServer(wireRules(usualPatience), (request, response) => {
    markForOperator(request);
    app.routing(request, response);
  });
  server.setTimeout(usualPatience.idleMs);
  server.on('clientError', (error, socket) => refuseRaw(error, socket as Socket, {}));
  return server;
}

const shapeOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);

const apiNamespace =
  /^\/(?:api|apis|internal|v1|oauth|hooks|assets|metrics|healthz|readyz|openapi\.json|\.well-known)(?:\/|$)/;

/** Answers every address that no route took: 405 with `Allow` when another method would have been right, the page, else 404. */
export function installNotFound(
  app: FastifyInstance,
  { tables, page, ingress }: { tables: readonly Api[]; page: { html: string; policy: string }; ingress: Ingress },
): void {
  const endpoints = tables.flatMap((table): Endpoint[] => Object.values(table));
  const known = endpoints.map((endpoint) => ({ endpoint, shape: shapeOf(fullPath(endpoint)) }));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const isThere = (endpoint: Endpoint) => !ingress.isHidden(request, endpoint, request.caller?.sessionToken);
    const allowed = known
      .filter(({ endpoint, shape }) => shape.test(path) && isThere(endpoint))
      .map(({ endpoint }) => endpoint.method);
    if (allowed.length > 0) {
      const error = new AppError('method_not_allowed', 'This address does not take that method.', {
        headers: { allow: allowed.join(', ') },
      });
      return refuse(request, reply, error);
    }
    const wantsPage = /^(?:GET|HEAD)$/.test(request.method) && (request.headers.accept ?? '').includes('text/html');
    if (wantsPage && !apiNamespace.test(path)) {
      return reply.header('content-security-policy', page.policy).type('text/html; charset=utf-8').send(page.html);
    }
    return refuse(request, reply, nothingHere());
  });
}
