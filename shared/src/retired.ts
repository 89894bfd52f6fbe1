import type { Method, PermissionClass } from './kernel/endpoint.ts';

/** An address that was given up, or was never built, and says so only to somebody who may read what it names. */
export type RetiredRoute = {
  method: Method;
  path: `/${string}`;
  class: PermissionClass;
  /** What it is told to use instead. */
  message: string;
};

const settings = 'The settings of a Capsule are changed by configuration plans and re-adoption.';

/** Outside of the public inventory: 405 with `Allow: GET` after authentication and Workspace access (shapes 1.2, step 10). */
export const retiredRoutes: readonly RetiredRoute[] = [
  { method: 'PATCH', path: '/capsule-configs/:capsuleConfigId', class: 'R', message: settings },
  { method: 'PUT', path: '/capsules/:capsuleId/provider-bindings', class: 'R', message: settings },
  {
    method: 'POST',
    path: '/workspaces/:workspaceId/capsules',
    class: 'R',
    message: 'A Capsule is made by an install plan.',
  },
];
