import type { FastifyInstance } from 'fastify';

/** One answered request, with the template of its route instead of the requested address. */
export type SeenRequest = { method: string; route: string; status: number; seconds: number };

/** Known methods. Any other is counted as one, so that clients cannot create metric labels. */
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
