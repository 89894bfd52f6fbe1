import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Api, type Endpoint, fullPath, isFormHost } from '#shared/kernel/endpoint';
import { limits } from '#shared/limits';
import { AppError, nothingHere } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Ingress, markForOperator } from './ingress.ts';
import { installPatience, type Patience, usualPatience } from './patience.ts';
import { fixedHeaders, installErrorHandler, refuse, refuseRaw } from './refusals.ts';

const maxHeaderBytes = 16_384;
const requestIdShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/i;

/** Routes whose answers, errors included, also forbid HTTP/1.0 caches to store them. */
const noStorePaths = /^\/(?:api\/v1\/account\/tokens|oauth\/(?:token|userinfo|introspect))(?:[/?]|$)/;

/** Returns a path that cannot be decoded as literal text: it matches no route, and still passes the gate. */
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

const wireRules = ({ headersMs, longRequestMs, checkIntervalMs }: Patience) => ({
  maxHeaderSize: maxHeaderBytes,
  headersTimeout: headersMs,
  requestTimeout: longRequestMs,
  connectionsCheckingInterval: checkIntervalMs,
  // The gate refuses a request without Host, in the envelope.
  requireHostHeader: false,
});

type HttpRules = {
  /** True when browsers use https. */
  secure: boolean;
  /** PEM texts of the server's own certificate. */
  tls?: { cert: string; key: string };
  /** Shorter time limits for tests. */
  patience?: Patience;
  /** True when the form host is on, which has an error envelope of its own. */
  formHost?: boolean;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Reports whether a request is for the form host protocol, whatever the spelling of its address. */
    isForFormHost(request: Pick<FastifyRequest, 'url' | 'routeOptions'>): boolean;
  }
}

const formHostPaths = /^\/(?:apis|v1)(?:[/?]|$)/;

/** Reports whether an address is below those of the form host, also where its letters are percent-encoded. */
function isFormHostAddress(url: string): boolean {
  try {
    return formHostPaths.test(decodeURIComponent(url.split('?', 1)[0] ?? ''));
  } catch {
    return formHostPaths.test(url);
  }
}

/** Creates a Fastify instance with the product's rules for parsing, ids, headers and errors, without routes. */
export function createHttp(
  log: Log,
  { secure, tls, patience = usualPatience, formHost = false }: HttpRules,
): FastifyInstance {
  const secureHeaders = secure ? { 'strict-transport-security': 'max-age=31536000' } : {};
  const isForm = (url: string): boolean => formHost && isFormHostAddress(url);
  const rawRules = { headers: secureHeaders, isFormHost: isForm };
  const app = Fastify({
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: patience.longRequestMs,
    connectionTimeout: patience.idleMs,
    // As long as a target may be, so that an over-long id reaches the gate before it is not found.
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
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuseRaw(error, socket, rawRules),
  }) as unknown as FastifyInstance;
  // With a body, Fastify would refuse a QUERY without a media type before the route is looked up.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...fixedHeaders, ...secureHeaders });
    // Uses the route when there is one, because an address has several spellings.
    if (noStorePaths.test(request.routeOptions.url ?? request.url)) reply.header('pragma', 'no-cache');
  });
  installPatience(app, patience, (error, socket) => refuseRaw(error, socket, rawRules));
  app.decorate('isForFormHost', ({ url, routeOptions: { config } }: Pick<FastifyRequest, 'url' | 'routeOptions'>) =>
    config?.endpoint ? formHost && isFormHost(config.endpoint) : isForm(url),
  );
  installErrorHandler(app, log);
  return app;
}

/** Creates a second listener for the same routes, in plain HTTP. Its requests are treated as the operator's. */
export function createOperatorServer(app: FastifyInstance, patience: Patience = usualPatience): Server {
  const server = createServer(wireRules(patience), (request, response) => {
    markForOperator(request);
    app.routing(request, response);
  });
  server.setTimeout(patience.idleMs);
  server.on('clientError', (error, socket) =>
    refuseRaw(error, socket as Socket, { headers: {}, isFormHost: () => false }),
  );
  return server;
}

const shapeOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);

const apiNamespace =
  /^\/(?:api|apis|internal|v1|oauth|hooks|assets|metrics|healthz|readyz|openapi\.json|\.well-known)(?:\/|$)/;

/** Answers addresses without a route: 405 with `Allow` when another method exists, the page, else 404. */
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
      const error = new AppError(
        'method_not_allowed',
        'This address does not support this method. Use one that the Allow header lists.',
        {
          headers: { allow: allowed.join(', ') },
        },
      );
      return refuse(request, reply, error);
    }
    const wantsPage = /^(?:GET|HEAD)$/.test(request.method) && (request.headers.accept ?? '').includes('text/html');
    if (wantsPage && !apiNamespace.test(path)) {
      return reply.header('content-security-policy', page.policy).type('text/html; charset=utf-8').send(page.html);
    }
    return refuse(request, reply, nothingHere());
  });
}
