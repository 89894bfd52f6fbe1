import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { createConsoleLog } from '../../kernel/log.ts';
import { openGate } from '../../kernel/work-gate.ts';
import { createInterfaces, type InterfacesDomain } from './domain.ts';

let server: TestServer;
let capsuleId: string;
beforeAll(async () => {
  server = await startTestServer();
  capsuleId = (await seedCapsule(server)).id;
});
afterAll(() => server.close());

const managed = new Set<string>();
/** The Interfaces of a server that issues tokens, unless specified, on the ledger of the test server. */
const withIssuer = (db: Db, hasIssuer = true): InterfacesDomain =>
  createInterfaces({
    db,
    clock: systemClock,
    log: createConsoleLog(() => {}),
    workGate: openGate,
    cursors: { encode: () => '', decode: () => [] } as never,
    outbox: { push: () => {} } as never,
    activity: { record: () => {} } as never,
    workspaces: { isLive: () => true, findWorkspaceId: (id: string) => id, findRoles: () => ['owner'] } as never,
    capsules: {
      findWorkspace: () => server.workspaceId,
      getRow: () => ({ id: capsuleId, workspaceId: server.workspaceId, status: 'active' }),
    } as never,
    formResources: { find: () => undefined },
    states: { findPublicOutputs: () => undefined } as never,
    isDestroyQueued: () => false,
    hasIssuer: () => hasIssuer,
    isManagedHostname: (id, hostname) => id === capsuleId && managed.has(hostname),
    findHostnameHolder: () => undefined,
    findConfiguration: () => ({ updatedAt: 0, blueprints: [], principalId: '' }),
  });

let names = 0;
/** Creates an MCP server with a binding by OAuth, and returns why the binding is not ready. */
function createServer(domain: InterfacesDomain, owner: { kind: 'Workspace' | 'Capsule'; id: string }, url: string) {
  names += 1;
  const { workspaceId, subject } = server;
  const { record } = domain.records.create(
    {
      workspaceId,
      name: `Server${names}`,
      ownerRef: owner,
      spec: {
        type: 'mcp.server',
        version: '2025-11-25',
        document: {},
        inputs: { endpoint: { source: 'literal', value: url } },
        access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
      },
    },
    subject,
  );
  const body = {
    subjectRef: { kind: 'Principal' as const, id: subject },
    permissions: ['mcp.invoke'],
    delivery: { type: 'oauth2' },
  };
  domain.bindings.create(record.id, body, subject);
  return () => {
    const [binding] = domain.bindings.list(record.id);
    return binding?.status.conditions?.[0]?.reason ?? binding?.status.phase;
  };
}

describe('a binding by OAuth', () => {
  const workspaceOwner = () => ({ kind: 'Workspace' as const, id: server.workspaceId });
  const capsuleOwner = () => ({ kind: 'Capsule' as const, id: capsuleId });

  it('is ready from the proof of its hostname until that proof is revoked', () => {
    server.ledger((db) => {
      const domain = withIssuer(db);
      const { workspaceId } = server;
      const reason = createServer(domain, workspaceOwner(), 'https://mcp.example.com/a');
      expect(reason()).toBe('OAuthResourceAuthorityUnavailable');
      domain.proofs.create(workspaceId, { hostname: 'other.example.com', ownerRef: workspaceOwner() }, 'operator');
      expect(reason()).toBe('OAuthResourceAuthorityUnavailable');
      domain.proofs.create(workspaceId, { hostname: 'mcp.example.com', ownerRef: workspaceOwner() }, 'operator');
      expect(reason()).toBe('Ready');
      domain.proofs.revoke(workspaceId, 'mcp.example.com', 'operator');
      expect(reason()).toBe('OAuthResourceAuthorityUnavailable');
    });
  });

  it('follows a start of the server without its issuer, and one with it', () => {
    server.ledger((db) => {
      const startWith = (hasIssuer: boolean) => {
        const domain = withIssuer(db, hasIssuer);
        domain.start();
        domain.stop();
        return domain;
      };
      const domain = startWith(true);
      const reason = createServer(domain, workspaceOwner(), 'https://switched.example.com/a');
      const ownerRef = workspaceOwner();
      domain.proofs.create(server.workspaceId, { hostname: 'switched.example.com', ownerRef }, 'operator');
      expect(reason()).toBe('Ready');
      startWith(false);
      expect(reason()).toBe('OAuthResourceUnavailable');
      startWith(true);
      expect(reason()).toBe('Ready');
    });
  });

  it('is not ready by the proof of another owner of the Workspace', () => {
    server.ledger((db) => {
      const domain = withIssuer(db);
      const reason = createServer(domain, workspaceOwner(), 'https://wiki.example.com/a');
      domain.proofs.create(server.workspaceId, { hostname: 'wiki.example.com', ownerRef: capsuleOwner() }, 'operator');
      expect(reason()).toBe('OAuthResourceAuthorityUnavailable');
    });
  });

  it('takes an address over from an owner without proof, and not from one with it', () => {
    server.ledger((db) => {
      const domain = withIssuer(db);
      const prove = (ownerRef: { kind: 'Workspace' | 'Capsule'; id: string }) =>
        domain.proofs.create(server.workspaceId, { hostname: 'taken.example.com', ownerRef }, 'operator');
      const first = createServer(domain, capsuleOwner(), 'https://taken.example.com/a');
      const second = createServer(domain, workspaceOwner(), 'https://taken.example.com/a');
      prove(workspaceOwner());
      expect([first(), second()]).toEqual(['OAuthResourceAuthorityUnavailable', 'Ready']);
      managed.add('taken.example.com');
      domain.upkeep.capsuleMoved({ id: capsuleId, workspaceId: server.workspaceId, status: 'active' } as never);
      expect([first(), second()]).toEqual(['OAuthResourceConflict', 'Ready']);
      domain.proofs.revoke(server.workspaceId, 'taken.example.com', 'operator');
      domain.upkeep.capsuleMoved({ id: capsuleId, workspaceId: server.workspaceId, status: 'active' } as never);
      expect([first(), second()]).toEqual(['Ready', 'OAuthResourceAuthorityUnavailable']);
      managed.clear();
    });
  });

  it('is taken over by the Interface that is created with proof', () => {
    server.ledger((db) => {
      const domain = withIssuer(db);
      const ownerRef = workspaceOwner();
      domain.proofs.create(server.workspaceId, { hostname: 'late.example.com', ownerRef }, 'operator');
      const first = createServer(domain, capsuleOwner(), 'https://late.example.com/a');
      const second = createServer(domain, ownerRef, 'https://late.example.com/a');
      expect([first(), second()]).toEqual(['OAuthResourceAuthorityUnavailable', 'Ready']);
    });
  });

  it('is ready for a hostname that the server assigned to its Capsule, and follows another configuration', () => {
    server.ledger((db) => {
      const domain = withIssuer(db);
      managed.add('shop.apps.example.com');
      const reason = createServer(domain, capsuleOwner(), 'https://shop.apps.example.com/mcp');
      const ofWorkspace = createServer(domain, workspaceOwner(), 'https://shop.apps.example.com/other');
      expect([reason(), ofWorkspace()]).toEqual(['Ready', 'OAuthResourceAuthorityUnavailable']);
      managed.clear();
      domain.upkeep.capsuleMoved({ id: capsuleId, workspaceId: server.workspaceId, status: 'active' } as never);
      expect(reason()).toBe('OAuthResourceAuthorityUnavailable');
    });
  });
});
