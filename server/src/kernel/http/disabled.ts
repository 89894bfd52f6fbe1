import type { FastifyInstance } from 'fastify';
import { disabledFormHost } from '#shared/disabled';
import { type Capability, fullPath } from '#shared/kernel/endpoint';
import { AppError } from '../errors.ts';

const messages: Readonly<Record<Exclude<Capability, 'password_sign_in'>, string>> = {
  oidc_issuer: 'The operator has disabled the issuer of this server. Use a personal access token.',
  form_host: 'The form host of this server is off. The operator enables it with GROUNDCTL_FORM_HOST.',
};

/** Creates the 501 of a disabled capability. */
export const capabilityRefusal = (capability: Exclude<Capability, 'password_sign_in'>): AppError =>
  new AppError('capability_not_available', messages[capability]);

/** Mounts the routes of a disabled form host; the gate refuses each by its capability. */
export function mountDisabled(app: FastifyInstance): void {
  const handler = async () => {
    throw new Error('the gate refuses this route');
  };
  app.route({
    method: app.supportedMethods,
    url: fullPath(disabledFormHost),
    config: { endpoint: disabledFormHost },
    handler,
  });
}
