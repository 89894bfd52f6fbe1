import type { PermissionClass } from './kernel/endpoint.ts';

export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Which roles of a Workspace may call a route of a class that looks at the membership. */
export const rolesOf: Partial<Record<PermissionClass, readonly Role[]>> = {
  R: ['owner', 'admin', 'member', 'viewer'],
  propose: ['owner', 'admin', 'member'],
  W: ['owner', 'admin'],
  O: ['owner'],
};
