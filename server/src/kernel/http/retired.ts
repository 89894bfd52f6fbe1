import type { FastifyInstance } from 'fastify';
import { fullPath } from '#shared/kernel/endpoint';
import type { RetiredRoute } from '#shared/retired';
import { AppError } from '../errors.ts';

/** Mounts retired addresses. A caller that the gate admits gets 405, whatever the body. */
export function mountRetired(app: FastifyInstance, routes: readonly RetiredRoute[]): void {
  for (const { method, path, class: permission, message } of routes) {
    const endpoint = { method, path, class: permission, summary: message, idempotency: 'none', replies: {} } as const;
    const refuse = async () => {
      throw new AppError('method_not_allowed', message, { headers: { allow: 'GET' } });
    };
    app.route({ method, url: fullPath(endpoint), config: { endpoint }, onRequest: refuse, handler: refuse });
  }
}
