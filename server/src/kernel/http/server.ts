import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Api, type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { limits } from '#shared/limits';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { fixedHeaders, installErrorHandler, refuse, refuseRaw } from './refusals.ts';

const maxHeaderBytes = 16_384;
const requestIdShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/i;

/** Where every answer, refusals too, tells caches of HTTP/1.0 as well that it is not to be kept (shapes 1.1). */
const neverKept = /^\/(?:api\/v1\/account\/tokens|oauth\/(?:token|userinfo|introspect))(?:[/?]|$)/;

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

/** A Fastify instance with the product's rules on parsing, ids, headers and refusals, and no route yet. `secure` says that browsers reach it by https. */
export function createHttp(log: Log, { secure }: { secure: boolean }): FastifyInstance {
  const app = Fastify({
    bodyLimit: limits.jsonBodyBytes,
    requestTimeout: 30_000,
    // As long as a target may be: an over-long id has to meet the gate before it is not found.
    routerOptions: { maxParamLength: maxHeaderBytes },
    rewriteUrl: ({ url = '' }) => readableUrl(url),
    forceCloseConnections: true,
    // A request without Host is refused by the gate, in the envelope.
    http: { maxHeaderSize: maxHeaderBytes, headersTimeout: 10_000, requireHostHeader: false },
    genReqId: (request) => {
      const given = request.headers['x-request-id'] ?? request.headers['x-correlation-id'];
      return typeof given === 'string' && requestIdShape.test(given) ? given : randomUUID();
    },
    clientErrorHandler: refuseRaw,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...fixedHeaders });
    if (neverKept.test(request.url)) reply.header('pragma', 'no-cache');
    if (secure) reply.header('strict-transport-security', 'max-age=31536000');
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
  page: { html: string; policy: string },
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
    const wantsPage = /^(?:GET|HEAD)$/.test(request.method) && (request.headers.accept ?? '').includes('text/html');
    if (wantsPage && !apiNamespace.test(path)) {
      return reply.header('content-security-policy', page.policy).type('text/html; charset=utf-8').send(page.html);
    }
    return refuse(request, reply, new AppError('not_found', 'There is nothing at this address.'));
  });
}
