import type { FastifyInstance } from 'fastify';

/** One answered request: by the template of its route, never by the address that was asked. */
export type SeenRequest = { method: string; route: string; status: number; seconds: number };

/** Methods that no route has are told as one, so that nobody makes names. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Calls back after each answer. */
export function installObserver(app: FastifyInstance, observe: (seen: SeenRequest) => void): void {
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    observe({
      method: methods.has(method) ? method : 'other',
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
  });
}
