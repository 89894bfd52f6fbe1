import type { FastifyInstance } from 'fastify';
import { type Capability, fullPath } from '#shared/kernel/endpoint';
import { unbuiltFormHost } from '#shared/unbuilt';
import { AppError } from '../errors.ts';

const messages: Readonly<Record<Exclude<Capability, 'password_sign_in'>, string>> = {
  oidc_issuer: 'The operator has disabled the issuer of this server. Use a personal access token.',
  form_host: 'This version of the server does not host forms.',
};

/** Creates the 501 of a capability that is disabled, or that this version does not have. */
export const capabilityRefusal = (capability: Exclude<Capability, 'password_sign_in'>): AppError =>
  new AppError('capability_not_available', messages[capability]);

/** Mounts the specified routes that are not implemented; the gate refuses each by its capability. */
export function mountUnbuilt(app: FastifyInstance): void {
  const handler = async () => {
    throw new Error('the gate refuses this route');
  };
  app.route({
    method: app.supportedMethods,
    url: fullPath(unbuiltFormHost),
    config: { endpoint: unbuiltFormHost },
    handler,
  });
}
