import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGroupsStore } from '#server/groups/index';
import { tables } from '#server/tables';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { roles, rolesOf } from '#shared/permissions';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from '../../../test/ledger-rows.ts';
import { newId } from '../ids.ts';

const endpoints = tables.flatMap((table): [string, Endpoint][] => Object.entries(table));
const isWrite = ({ method }: Endpoint) => method !== 'GET';

let server: TestServer;
/** A record of the owner's Workspace by the name of its path parameter. */
let own: Record<string, string>;
/** Every probe has a minute of its own, so that none meets the limits of a rate. */
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock });
  const capsule = await seedCapsule(server);
  const plan = seedPlan(server, capsule);
  const body = {
    source: { name: 'n', url: 'https://example.com/a', ref: 'HEAD', path: '.' },
    capsule: { name: 'c', environment: 'e' },
  };
  const params = { workspaceId: server.workspaceId };
  const { installPlan } = (await server.api.createInstallPlan({ params, body }, { 'idempotency-key': 'k' })).body;
  own = {
    workspaceId: server.workspaceId,
    projectId: `prj_default_${server.workspaceId}`,
    runId: plan.id,
    sourceId: capsule.sourceId,
    sourceSnapshotId: 'snap_x',
    capsuleId: capsule.id,
    capsuleConfigId: capsule.installConfigId,
    stateVersionId: seedState(server, capsule, { generation: 1 }),
    installPlanId: installPlan.id,
    ...(await makeSteps(capsule.id)),
    reportId: 'caprep_x',
    connectionId: await makeConnection(),
    ...(await makeLinks(capsule.id)),
    toolInstallId: 'tin_x',
  };
  seedRun(server);
});
afterAll(() => server.close());

/** A group of Runs, and an update of a Capsule that was applied. */
async function makeSteps(capsuleId: string): Promise<{ runGroupId: string; revisionPlanId: string }> {
  const { workspaceId, subject } = server;
  const runGroupId = newId('runGroup');
  const at = Date.now();
  const group = { id: runGroupId, workspaceId, type: 'workspace_update' as const, createdBy: subject, createdAt: at };
  server.ledger((db) => createGroupsStore(db).insert({ ...group, layers: [] }));
  const asked = { params: { capsuleId }, body: { ref: 'HEAD' } };
  const { revisionPlan } = (await server.api.createRevisionPlan(asked, { 'idempotency-key': 'revise' })).body;
  return { runGroupId, revisionPlanId: revisionPlan.id };
}

/** A share and a Dependency; the Workspace is on both sides. */
async function makeLinks(capsuleId: string): Promise<{ shareId: string; dependencyId: string }> {
  const { workspaceId, api } = server;
  const producer = await seedCapsule(server);
  seedState(server, producer, { generation: 1, outputs: { url: 'x' } });
  const sides = { fromWorkspaceId: workspaceId, toWorkspaceId: workspaceId, producerCapsuleId: producer.id };
  const { share } = (await api.createShare({ body: { ...sides, outputs: [{ name: 'url' }] } })).body;
  const body = { producerCapsuleId: producer.id, outputs: { url: { from: 'url', to: 'url' } } };
  const { dependency } = (await api.createDependency({ params: { capsuleId }, body })).body;
  return { shareId: share.id, dependencyId: dependency.id };
}

async function makeConnection(): Promise<string> {
  const values = { GIT_HTTPS_TOKEN: 'x' };
  const body = { workspaceId: server.workspaceId, provider: 'git', kind: 'source_git_https_token' as const, values };
  return (await server.api.createConnection({ body })).body.connection.id;
}

const pathOf = (endpoint: Endpoint, ids: (name: string) => string = () => 'nothing') =>
  fullPath(endpoint).replace(/:(\w+)/g, (_, name: string) => ids(name)) +
  (endpoint.workspaceIn === 'query' ? `?workspaceId=${server.workspaceId}` : '');
const told = ({ status, json }: RawAnswer) => [status, (json as { error?: { code: string } }).error?.code];
/** A write carries a body that no route takes, so that nothing happens where the caller is heard. */
const ask = (endpoint: Endpoint, headers: Record<string, string>, ids?: (name: string) => string) => {
  if (endpoint.rate !== undefined) clock.advance(60_000);
  return server.raw({
    method: endpoint.method,
    path: pathOf(endpoint, ids),
    headers: { ...headers, ...(isWrite(endpoint) && { 'content-type': 'application/json' }) },
    ...(isWrite(endpoint) && { body: '{"nothing":1}' }),
  });
};
const foreign = { origin: 'https://evil.example' };
const dead = { authorization: `Bearer sess_${'A'.repeat(43)}` };

describe.each(endpoints)('%s', (_, endpoint) => {
  test('answers under its own host only, and takes no OPTIONS', async () => {
    const path = pathOf(endpoint);
    const { method } = endpoint;
    const misdirected = await server.raw({ method, path, headers: ['host', 'evil.example'] });
    if (!endpoint.anyHost) expect(told(misdirected)).toEqual([421, 'misdirected_request']);
    const options = await server.raw({ method: 'OPTIONS', path });
    expect(told(options)).toEqual([405, 'method_not_allowed']);
    expect(options.headers.allow?.split(', ')).toContain(method);
  });

  test('refuses a page of another origin, unless it is a public read', async () => {
    for (const headers of [foreign, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await ask(endpoint, headers);
      if (endpoint.class === 'X' && !isWrite(endpoint)) expect(answer.status).not.toBe(403);
      else expect(told(answer)).toEqual([403, 'csrf_failed']);
    }
  });

  test('takes the credential of its class and no other', async () => {
    const session = { authorization: `Bearer ${server.token}` };
    const operator = { authorization: `Bearer ${server.operatorToken}` };
    const asked: Record<string, string>[] = [{}, dead, operator, session];
    const answers = await Promise.all(asked.map((headers) => ask(endpoint, headers)));
    const codes = answers.map((answer) => (answer.status === 401 ? told(answer)[1] : 'heard'));
    if (endpoint.class === 'X') expect(codes).toEqual(['heard', 'heard', 'heard', 'heard']);
    else if (endpoint.class === 'Op')
      expect(codes).toEqual(['unauthenticated', 'unauthenticated', 'heard', 'unauthenticated']);
    else if (endpoint.class === 'P') expect(new Set(codes)).toEqual(new Set(['invalid_token']));
    else if (endpoint.failsAs) expect(codes).toEqual([...Array(3).fill(endpoint.failsAs), 'heard']);
    else expect(codes).toEqual(['invalid_session', 'invalid_token', 'invalid_token', 'heard']);
  });
});

/** Routes whose record decides by membership. */
const ofRecord = endpoints.filter(([, endpoint]) => endpoint.class in rolesOf);

describe('membership', () => {
  let callers: Map<string, string>;
  beforeAll(async () => {
    callers = new Map([['stranger', (await server.join(undefined)).token]]);
    for (const role of roles) callers.set(role, (await server.join(role)).token);
  });

  test.each(ofRecord)('%s hears the roles of its class', async (_, endpoint) => {
    const [, first] = /:(\w+)/.exec(fullPath(endpoint)) ?? [];
    if (first === 'reportId' || first === 'helperId') return;
    for (const [role, token] of callers) {
      const answer = await ask(endpoint, { authorization: `Bearer ${token}` }, (name) => own[name] ?? name);
      const allowed = (rolesOf[endpoint.class] as readonly string[]).includes(role);
      // Where the body names the Workspace its shape comes first.
      if (endpoint.workspaceIn === 'body') expect(told(answer)).toEqual([400, 'invalid_request']);
      // Whoever is outside is told of no such Connection.
      else if (first === 'connectionId' && role === 'stranger')
        expect(told(answer)).toEqual([404, 'connection_not_found']);
      else expect([role, answer.status === 403]).toEqual([role, !allowed]);
    }
  });

  test.each(ofRecord)('%s knows nothing of a record that is not there', async (_, endpoint) => {
    if (endpoint.workspaceIn) return;
    for (const token of [server.token, callers.get('stranger') ?? ''])
      expect(told(await ask(endpoint, { authorization: `Bearer ${token}` }))).toEqual([
        404,
        'connectionId' in (endpoint.params?.shape ?? {}) ? 'connection_not_found' : 'not_found',
      ]);
  });
});
