import { describe, expect, test } from 'vitest';
import type { Endpoint, PermissionClass } from '#shared/kernel/endpoint';
import type { Role } from '#shared/permissions';
import { AppError } from '../errors.ts';
import { authorizeNamed, isStillAllowed, reauthorize, requireBoundMembership, requireScope } from './authority.ts';
import { findBearerIn } from './bearers.ts';
import type { Bearer, Caller, Principal } from './caller.ts';
import type { GatePorts } from './ports.ts';

const routeOf = (permission: PermissionClass, method: Endpoint['method'] = 'GET', more: Partial<Endpoint> = {}) =>
  ({ method, path: '/x/:workspaceId', summary: 'x', class: permission, replies: {}, ...more }) as Endpoint;
const token = { subject: 'sub_1', tokenId: 'tok_1' };
const oauth = (scopes: string[], workspaceId: string | undefined = 'ws_1'): Principal => ({
  kind: 'oauth',
  clientId: 'client',
  ...token,
  scopes,
  workspaceId,
});
const pat = (scopes: string[], workspaceId?: string): Principal => ({ kind: 'pat', ...token, scopes, workspaceId });
const session: Principal = { kind: 'session', subject: 'sub_1', sessionId: 'ses_1', via: 'bearer' };

/** Returns the error code of the check; `ok` when it passes. */
function outcomeOf(work: () => unknown): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('an access token of OAuth', () => {
  const whole = ['capsules:read', 'capsules:write'];
  test.each<[PermissionClass, Endpoint['method'], string[], string]>([
    ['R', 'GET', whole, 'ok'],
    ['R', 'GET', ['capsules:write'], 'insufficient_scope'],
    ['R', 'GET', ['read'], 'insufficient_scope'],
    ['W', 'POST', whole, 'ok'],
    ['W', 'POST', ['capsules:read'], 'insufficient_scope'],
    ['propose', 'POST', whole, 'ok'],
    ['propose', 'POST', ['capsules:read'], 'insufficient_scope'],
    ['O', 'PATCH', whole, 'forbidden'],
    ['A', 'GET', whole, 'ok'],
    ['A', 'GET', ['capsules:write'], 'insufficient_scope'],
    ['A', 'POST', whole, 'forbidden'],
    ['A', 'POST', ['capsules:write'], 'insufficient_scope'],
    ['S', 'GET', whole, 'forbidden'],
    ['P', 'GET', whole, 'invalid_token'],
  ])('on %s %s with %j gets %s', (permission, method, scopes, expected) => {
    expect(outcomeOf(() => requireScope(oauth(scopes), routeOf(permission, method)))).toBe(expected);
  });

  test('without a Workspace opens nothing here', () => {
    const outcomeFor = (permission: PermissionClass) =>
      outcomeOf(() => requireScope({ ...oauth(whole), workspaceId: undefined } as Principal, routeOf(permission)));
    expect((['R', 'W', 'propose', 'O', 'A', 'S'] as const).map(outcomeFor)).toEqual(Array(6).fill('forbidden'));
    expect(outcomeFor('P')).toBe('invalid_token');
  });

  test('does not count as a session where tokens are managed', () => {
    const route = routeOf('S', 'GET', { tokensFailAs: 'invalid_session' });
    for (const principal of [oauth(whole), pat(['admin']), pat(['admin'], 'ws_1')])
      expect(outcomeOf(() => requireScope(principal, route))).toBe('invalid_session');
  });
});

describe('a personal access token', () => {
  test.each<[PermissionClass, Endpoint['method'], Principal, string]>([
    ['A', 'GET', pat(['write']), 'forbidden'],
    ['A', 'POST', pat(['read']), 'forbidden'],
    ['A', 'POST', pat(['admin']), 'ok'],
    ['A', 'GET', pat(['write'], 'ws_1'), 'insufficient_scope'],
    ['A', 'POST', pat(['write'], 'ws_1'), 'insufficient_scope'],
    ['A', 'POST', pat(['admin'], 'ws_1'), 'forbidden'],
    ['R', 'GET', pat(['resources:read'], 'ws_1'), 'insufficient_scope'],
    ['S', 'GET', pat(['admin']), 'forbidden'],
    ['P', 'GET', pat([]), 'ok'],
    ['P', 'GET', session, 'invalid_token'],
  ])('on %s %s: %j gets %s', (permission, method, principal, expected) => {
    expect(outcomeOf(() => requireScope(principal, routeOf(permission, method)))).toBe(expected);
  });

  test('gets the name of the missing scope', () => {
    try {
      requireScope(pat(['read']), routeOf('W', 'POST'));
      expect.unreachable();
    } catch (error) {
      expect((error as AppError).headers).toEqual({
        'www-authenticate': 'Bearer realm="svc", error="insufficient_scope", scope="write"',
      });
    }
  });
});

/** A membership that a test can remove. */
function createMembershipFixture(roles: Partial<Record<string, readonly Role[]>>) {
  const known = { live: true, roles };
  const bearer: Bearer = { kind: 'session', subject: 'sub_1', sessionId: 'ses_1' };
  const ports = {
    findSession: () => (known.live ? bearer : undefined),
    findBearer: () => (known.live ? bearer : undefined),
    findRoles: (workspaceId: string) => known.roles[workspaceId],
    workspaceOf: { workspaceId: (id: string) => (id === 'shared' ? null : id.startsWith('ws_') ? id : undefined) },
    concealed: {},
  } as unknown as GatePorts;
  const caller = (principal: Principal) =>
    ({ principal, workspaceId: undefined, roles: [], namesItself: false, sessionToken: 't' }) as unknown as Caller;
  return { known, ports, caller };
}

describe('reauthorization', () => {
  const enter = (permission: PermissionClass, roles: readonly Role[]) => {
    const { known, ports, caller } = createMembershipFixture({ ws_1: roles });
    const rule = { endpoint: routeOf(permission, 'POST'), ports };
    const one = caller(session);
    authorizeNamed(one, ['workspaceId', 'ws_1'], rule);
    return { known, one, rule };
  };

  test('ends with the role, with the membership and with the session', () => {
    for (const take of [
      (known: ReturnType<typeof createMembershipFixture>['known']) => (known.roles = { ws_1: ['viewer'] }),
      (known: ReturnType<typeof createMembershipFixture>['known']) => (known.roles = {}),
      (known: ReturnType<typeof createMembershipFixture>['known']) => (known.live = false),
    ]) {
      const { known, one, rule } = enter('W', ['admin']);
      expect([outcomeOf(() => reauthorize(one, rule)), isStillAllowed(one, rule)]).toEqual(['ok', true]);
      take(known);
      expect([outcomeOf(() => reauthorize(one, rule)), isStillAllowed(one, rule)]).toEqual(['forbidden', false]);
    }
  });

  test('refuses an admin-only change of a caller whose admin role was just removed', () => {
    const { known, one, rule } = enter('propose', ['admin']);
    known.roles = { ws_1: ['member'] };
    expect(outcomeOf(() => reauthorize(one, rule))).toBe('forbidden');
    const proposer = enter('propose', ['member']);
    expect(outcomeOf(() => reauthorize(proposer.one, proposer.rule))).toBe('ok');
  });
});

describe('a bound token', () => {
  const bound = pat(['admin'], 'ws_1');
  const outcomeFor = (
    roles: Parameters<typeof createMembershipFixture>[0],
    id: string,
    permission: PermissionClass = 'R',
  ) => {
    const { ports, caller } = createMembershipFixture(roles);
    const rule = { endpoint: routeOf(permission), ports };
    const one = caller(bound);
    return outcomeOf(() => {
      requireBoundMembership(one, rule);
      if (permission !== 'A') authorizeNamed(one, ['workspaceId', id], rule);
    });
  };

  test('sees its Workspace while its account is a member, and no other', () => {
    const both: Parameters<typeof createMembershipFixture>[0] = { ws_1: ['owner'], ws_2: ['owner'] };
    expect(outcomeFor(both, 'ws_1')).toBe('ok');
    expect(outcomeFor(both, 'ws_2')).toBe('forbidden');
    expect(outcomeFor({ ws_2: ['owner'] }, 'ws_1')).toBe('workspace_membership_inactive');
    expect(outcomeFor({}, 'ws_2')).toBe('forbidden');
    expect(outcomeFor({}, 'gone')).toBe('not_found');
    expect(outcomeFor(both, 'any', 'A')).toBe('ok');
    expect(outcomeFor({ ws_2: ['owner'] }, 'any', 'A')).toBe('workspace_membership_inactive');
  });

  test('reads what is shared by all with its scope alone', () => {
    expect(outcomeFor({}, 'shared')).toBe('ok');
  });
});

describe('a route with another rule for the own record of the caller', () => {
  test('allows the account itself, and refuses a bound token', () => {
    const { ports, caller } = createMembershipFixture({ ws_1: ['viewer'] });
    const rule = { endpoint: routeOf('O', 'DELETE', { ownAs: 'subject' }), ports };
    const outcomeFor = (principal: Principal, namesItself: boolean) =>
      outcomeOf(() => authorizeNamed({ ...caller(principal), namesItself }, ['workspaceId', 'ws_1'], rule));
    expect(outcomeFor(session, true)).toBe('ok');
    expect(outcomeFor(session, false)).toBe('forbidden');
    expect(outcomeFor(pat(['write']), true)).toBe('ok');
    expect(outcomeFor(pat(['write'], 'ws_1'), true)).toBe('forbidden');
  });
});

test('a bearer that two stores know is invalid', () => {
  const known = (text: string) => (token: string) =>
    token === text ? ({ kind: 'session', subject: 's', sessionId: text } as const) : undefined;
  const find = findBearerIn([known('a'), known('b'), known('b')]);
  expect([find('a')?.kind, find('b'), find('c')]).toEqual(['session', undefined, undefined]);
});
