import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchApi } from '#shared/search/api';
import type { SearchResult } from '#shared/search/contract';
import { callsOf, resourceIn, writePackages } from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedRun } from '../../../test/ledger-rows.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';
import { makeToken } from '../../../test/tokens.ts';
import { requireScope } from '../../kernel/http/authority.ts';
import type { Caller } from '../../kernel/http/index.ts';
import { viewerOf } from '../workspaces/index.ts';
import { createSearchService, createSearchStore } from './index.ts';

const commit = 'c0ffee11c0ffee11c0ffee11c0ffee11c0ffee11';
let server: TestServer;
/** Id of one record of each kind, all named after a quokka. */
let ids: Record<SearchResult['kind'], string>;

beforeAll(async () => {
  server = await startTestServer({ env: { GROUNDCTL_FORM_HOST: '1' } });
  writePackages(server.dataDir, [formPackage()]);
  await server.restart();
  ids = await seedQuokkas(server);
});
afterAll(() => server.close());

async function seedQuokkas(of: TestServer): Promise<typeof ids> {
  const { api, workspaceId } = of;
  await api.updateWorkspace({ params: { workspaceId }, body: { displayName: 'Quokka team' } });
  const capsule = await seedCapsule(of, { name: 'quokka site' });
  const body = { workspaceId, name: 'Quokka modules', url: 'https://git.example.com/zoo/quokka.git' };
  const source = (await api.createSource({ body })).body.source;
  const values = { GIT_HTTPS_TOKEN: 'secret-quokka-value' };
  const connection = {
    workspaceId,
    provider: 'git',
    kind: 'source_git_https_token' as const,
    displayName: 'quokka token',
  };
  const surface = {
    workspaceId,
    name: 'QuokkaNotes',
    ownerRef: { kind: 'Workspace' as const, id: workspaceId },
    spec: {
      type: 'interface.ui.surface',
      version: '1',
      document: { note: 'secret-quokka-value' },
      access: { visibility: 'workspace' as const },
    },
  };
  const project = { params: { workspaceId }, body: { name: 'Quokka', slug: 'quokka' } };
  return {
    capsule: capsule.id,
    run: seedRun(of, { capsuleId: capsule.id, capsuleName: 'quokka site', facts: { resolvedCommit: commit } }).id,
    interface: (await api.createInterface({ body: surface })).body.id,
    form_resource: await applyResource(of),
    source: source.id,
    connection: (await api.createConnection({ body: { ...connection, values } })).body.connection.id,
    project: (await api.createProject(project)).body.project.id,
    workspace: workspaceId,
  };
}

async function applyResource(of: TestServer): Promise<string> {
  const { apply } = callsOf(of, identityOf(formPackage()));
  const applied = await apply({ name: 'quokka-store', spec: { size: 1, endpoint: 'https://secret-quokka.example' } });
  return resourceIn(applied).status?.output.id ?? '';
}

const search = async (api: TestClient, q: string, more: { limit?: string; selectedWorkspaceId?: string } = {}) =>
  (await api.search({ query: { q, ...more } })).body;
const found = async (api: TestClient, q: string) => (await search(api, q)).results.map(({ id }) => id);

describe('GET /search', () => {
  it('finds every kind by name and by id, and a Run by the start of its id and commit', async () => {
    const named = (await search(server.api, 'QUOKKA')).results;
    expect(new Set(named.map(({ kind }) => kind))).toEqual(
      new Set(['capsule', 'interface', 'form_resource', 'source', 'connection', 'project', 'workspace']),
    );
    for (const id of Object.values(ids)) expect((await found(server.api, id))[0]).toBe(id);
    for (const q of [
      ids.run.slice(0, -2),
      ids.run.slice(0, 12).toLowerCase(),
      commit.slice(0, 7),
      commit.toUpperCase(),
    ])
      expect(await found(server.api, q)).toContain(ids.run);
    expect(await found(server.api, 'git.example.com/zoo')).toEqual([ids.source]);
  });

  it('finds a Resource by its kind, and by kind and name', async () => {
    for (const q of ['bucket', 'Bucket/quokka', 'quokka bucket'])
      expect((await search(server.api, q)).results, q).toEqual([
        {
          kind: 'form_resource',
          id: ids.form_resource,
          workspaceId: server.workspaceId,
          workspaceName: 'Quokka team',
          name: 'quokka-store',
          formKind: 'Bucket',
          ready: true,
        },
      ]);
  });

  it('returns what identifies the records, and no value', async () => {
    const { results, truncated } = await search(server.api, 'quokka');
    expect(truncated).toBe(false);
    expect(results.find(({ kind }) => kind === 'capsule')).toEqual({
      kind: 'capsule',
      id: ids.capsule,
      workspaceId: server.workspaceId,
      workspaceName: 'Quokka team',
      name: 'quokka site',
      environment: 'test',
      status: 'pending',
    });
    expect((await search(server.api, ids.run)).results).toMatchObject([
      { kind: 'run', type: 'plan', capsuleName: 'quokka site', resolvedCommit: commit },
    ]);
    expect(await found(server.api, 'secret-quokka')).toEqual([]);
  });

  it('orders by rank, the selected Workspace first among equal matches', async () => {
    const names = ['the bat', 'bat', 'wombat', 'bat two'];
    for (const name of names) await seedCapsule(server, { name });
    const titles = async () => (await search(server.api, 'bat')).results.map((one) => 'name' in one && one.name);
    expect(await titles()).toEqual(['bat', 'bat two', 'the bat', 'wombat']);
    const otherId = server.ledger((db) => addWorkspace(db, [server.subject]));
    const other = { workspaceId: otherId, projectId: `prj_default_${otherId}`, updatedAt: 1 };
    const second = await seedCapsule(server, { name: 'bat', ...other });
    const first = async (selectedWorkspaceId: string) =>
      (await search(server.api, 'bat', { selectedWorkspaceId })).results[0]?.id;
    expect(await first(otherId)).toBe(second.id);
    expect(await first(server.workspaceId)).not.toBe(second.id);
  });

  it('returns at most `limit` matches and reports that there are more', async () => {
    const { results, truncated } = await search(server.api, 'bat', { limit: '2' });
    expect([results.length, truncated]).toEqual([2, true]);
    expect((await server.request('GET', '/api/v1/search?q=x&limit=0')).status).toBe(400);
    expect((await server.request('GET', '/api/v1/search')).status).toBe(400);
    expect((await search(server.api, 'bat', { limit: '1000' })).truncated).toBe(false);
  });

  it('finds a destroyed Capsule by its id only', async () => {
    const { id } = await seedCapsule(server, { name: 'thylacine', status: 'destroyed' });
    expect(await found(server.api, 'thylacine')).toEqual([]);
    expect(await found(server.api, id)).toEqual([id]);
  });

  it('finds a retired Interface by its id only', async () => {
    const ownerRef = { kind: 'Workspace' as const, id: server.workspaceId };
    const spec = { type: 'other', version: '1', document: {}, access: { visibility: 'workspace' as const } };
    const body = { workspaceId: server.workspaceId, name: 'Dodo', ownerRef, spec };
    const { id } = (await server.api.createInterface({ body })).body;
    expect(await found(server.api, 'dodo')).toEqual([id]);
    await server.api.retireInterface({ params: { interfaceId: id } }, { 'if-match': '*' });
    expect(await found(server.api, 'dodo')).toEqual([]);
    expect(await found(server.api, id)).toEqual([id]);
  });

  it('accepts any text, without patterns', async () => {
    for (const q of [
      '%',
      '_',
      "'",
      '"',
      '\\',
      '*',
      ' ',
      '\uff31\uff35\uff2f\uff2b\uff2b\uff21',
      '🦘',
      'a'.repeat(256),
      'plan_%',
      '\u0000',
    ])
      expect(Array.isArray(await found(server.api, q))).toBe(true);
    expect(await found(server.api, '%')).toEqual([]);
    expect(await found(server.api, '\uff31\uff35\uff2f\uff2b\uff2b\uff21 site')).toEqual([ids.capsule]);
  });
});

describe('the scope of a search', () => {
  const queries = () => ['quokka', 'git.example.com', commit.slice(0, 7), ...Object.values(ids)];

  it('never contains a record of a Workspace of someone else', async () => {
    const neighbour = await asNeighbour(server);
    for (const q of queries()) expect([q, await found(neighbour.api, q)]).toEqual([q, []]);
    for (const q of queries()) {
      const { results } = await search(neighbour.api, q, { selectedWorkspaceId: server.workspaceId });
      expect([q, results]).toEqual([q, []]);
    }
  });

  it.each(['owner', 'admin', 'member', 'viewer'] as const)('contains every kind for the role %s', async (role) => {
    const { api } = await server.join(role);
    for (const id of Object.values(ids)) expect((await found(api, id))[0]).toBe(id);
  });

  it('ends with the membership', async () => {
    const { api, subject } = await server.join('admin');
    expect(await found(api, ids.capsule)).toEqual([ids.capsule]);
    await server.api.removeMember({ params: { workspaceId: server.workspaceId, subject } });
    for (const q of queries()) expect(await found(api, q)).toEqual([]);
  });

  it('is the Workspace of a bound token, which is refused another', async () => {
    const otherId = server.ledger((db) => addWorkspace(db, [server.subject], 'Quokka annex'));
    const generic = server.as((await makeToken(server, { scopes: ['read'] })).token);
    expect(await found(generic, 'quokka')).toContain(otherId);
    expect(await found(generic, 'quokka')).toContain(ids.capsule);
    const bound = server.as((await makeToken(server, { scopes: ['read'], workspace_id: otherId })).token);
    expect(await found(bound, 'quokka')).toEqual([otherId]);
    for (const id of Object.values(ids)) expect(await found(bound, id)).toEqual([]);
    const query = { q: 'quokka', selectedWorkspaceId: server.workspaceId };
    await expect(bound.search({ query })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('is the Workspace of an OAuth token that may read, which is refused another', () => {
    const otherId = server.ledger((db) => addWorkspace(db, [server.subject], 'Quokka depot'));
    const token = { subject: server.subject, tokenId: 'tok_1', clientId: 'client', workspaceId: otherId };
    const principalOf = (scopes: string[]) => ({ kind: 'oauth' as const, ...token, scopes });
    const caller = { principal: principalOf(['capsules:read']) } as unknown as Caller;
    const idsFor = (selectedWorkspaceId?: string) =>
      server.ledger((db) =>
        createSearchService(createSearchStore(db))
          .search(viewerOf(caller, selectedWorkspaceId), { q: 'quokka', limit: 50 })
          .results.map(({ id }) => id),
      );
    expect(idsFor()).toEqual([otherId]);
    expect(() => idsFor(server.workspaceId)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    const check = (scopes: string[]) => requireScope(principalOf(scopes), searchApi.search);
    expect(() => check(['capsules:read'])).not.toThrow();
    expect(() => check(['capsules:write'])).toThrow(expect.objectContaining({ code: 'insufficient_scope' }));
  });

  it('needs a credential that may read', async () => {
    const { token } = await makeToken(server, { scopes: ['write'] });
    await expect(server.as(token).search({ query: { q: 'quokka' } })).rejects.toMatchObject({ status: 403 });
    await expect(server.as('sess_none').search({ query: { q: 'quokka' } })).rejects.toMatchObject({ status: 401 });
  });
});
