import type { Method, PermissionClass } from './kernel/endpoint.ts';

/** An address that was removed or never built. It says so only to a caller that may read the record it names. */
export type RetiredRoute = {
  method: Method;
  path: `/${string}`;
  class: PermissionClass;
  /** Remedy: the requests that replace it. */
  message: string;
};

const settings = 'The settings of a Capsule are changed by configuration plans and re-adoption.';

/** Outside the public inventory: 405 with `Allow: GET` after authentication and the check of Workspace access. */
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
