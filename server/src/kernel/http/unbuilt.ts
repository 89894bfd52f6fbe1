import type { FastifyInstance } from 'fastify';
import { type Capability, type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { unbuiltFormHost, unbuiltRoutes } from '#shared/unbuilt';
import { AppError } from '../errors.ts';

const messages: Readonly<Record<Exclude<Capability, 'password_sign_in'>, string>> = {
  oidc_issuer: 'This version of the server does not issue OAuth or OpenID Connect tokens. Use a personal access token.',
  form_host: 'This version of the server does not host forms.',
};

/** Creates the 501 of a capability that this version does not have. */
export const unbuiltRefusal = (capability: Exclude<Capability, 'password_sign_in'>): AppError =>
  new AppError('capability_not_available', messages[capability]);

/** Mounts the specified routes that are not implemented; the gate refuses each by its capability. */
export function mountUnbuilt(app: FastifyInstance): void {
  const mount = (endpoint: Endpoint, method: string | string[]) => {
    const handler = async () => {
      throw new Error('the gate refuses this route');
    };
    app.route({ method, url: fullPath(endpoint), config: { endpoint }, handler });
  };
  for (const endpoint of Object.values(unbuiltRoutes)) mount(endpoint, endpoint.method);
  mount(unbuiltFormHost, app.supportedMethods);
}
