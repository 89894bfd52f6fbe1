import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Api, type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { limits } from '#shared/limits';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { installErrorHandler, refuse, refuseRaw } from './refusals.ts';

const requestIdShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/i;

/** A Fastify instance with the product's rules on parsing, ids, headers and refusals, and no route yet. */
export function createHttp(log: Log): FastifyInstance {
  const app = Fastify({
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 1_024 },
    forceCloseConnections: true,
    http: { maxHeaderSize: 16_384, headersTimeout: 10_000 },
    genReqId: (request) => {
      const given = request.headers['x-request-id'] ?? request.headers['x-correlation-id'];
      return typeof given === 'string' && requestIdShape.test(given) ? given : randomUUID();
    },
    clientErrorHandler: refuseRaw,
    frameworkErrors: (_error, request, reply) =>
      void refuse(request, reply, new AppError('not_found', 'There is nothing at this address.')),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cache-control': 'no-store',
    });
  });
  installErrorHandler(app, log);
  return app;
}

const shapeOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);

const apiNamespace = /^\/(?:api|apis|internal|v1|oauth|hooks|assets|\.well-known)(?:\/|$)/;

/** Answers every address that no route took: 405 with `Allow` when another method would have been right, the page, else 404. */
export function installNotFound(
  app: FastifyInstance,
  tables: readonly Api[],
  page: { html: (path: string) => string; policy: string },
): void {
  const endpoints = tables.flatMap((table): Endpoint[] => Object.values(table));
  const known = endpoints.map((endpoint) => ({ method: endpoint.method, shape: shapeOf(fullPath(endpoint)) }));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const allowed = known.filter(({ shape }) => shape.test(path)).map(({ method }) => method);
    if (allowed.length > 0) {
      const error = new AppError('method_not_allowed', 'This address does not take that method.', {
        headers: { allow: allowed.join(', ') },
      });
      return refuse(request, reply, error);
    }
    const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
    if (wantsPage && !apiNamespace.test(path)) {
      return reply
        .header('content-security-policy', page.policy)
        .type('text/html; charset=utf-8')
        .send(page.html(path));
    }
    return refuse(request, reply, new AppError('not_found', 'There is nothing at this address.'));
  });
}
