import { describe, expect, it } from 'vitest';
import type { EndpointName } from './client.ts';
import { isAllowed } from './role.ts';

describe('isAllowed', () => {
  it.each<[EndpointName, string[]]>([
    ['listRuns', ['viewer', 'member', 'admin', 'owner']],
    ['planCapsule', ['member', 'admin', 'owner']],
    ['applyRun', ['admin', 'owner']],
    ['changeMember', ['owner']],
    ['endSession', ['viewer', 'member', 'admin', 'owner']],
  ])('allows %s to %j', (name, allowed) => {
    const roles = ['viewer', 'member', 'admin', 'owner'] as const;
    expect(roles.filter((role) => isAllowed(role, name))).toEqual(allowed);
  });

  it('leaves the decision to the server while the role is unknown', () => {
    expect(isAllowed(undefined, 'applyRun')).toBe(true);
  });
});
