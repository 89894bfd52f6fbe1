import fs from 'node:fs';
import http from 'node:http';
import fc from 'fast-check';
import type { Endpoint } from '#shared/kernel/endpoint';
import { roles } from '#shared/permissions';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { writeFakeTool } from '../fake-tool.ts';
import { startTestServer, type TestServer, tempDir } from '../harness.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from '../ledger-rows.ts';
import { sealStates } from '../sealed-states.ts';
import { addWorkspace } from '../second-workspace.ts';
import { type FuzzAnswer, findFault } from './judge.ts';
import { type FuzzRequest, type Principals, requestsTo } from './requests.ts';
import { mark, type Pool } from './values.ts';

/** Nothing listens at this address, so that a fetch from it fails at once. */
const nowhere = 'http://127.0.0.1:1/a.git';

/** These fetch a tool from the network, or intentionally work for seconds: a key is derived from a passphrase. */
const leftOut = ['installTool', 'changeKey', 'unsealVault'];

export type FuzzFixture = {
  server: TestServer;
  pool: Pool;
  principals: Principals;
  /** Restores what requests have ended: sessions, memberships, an archived Workspace. */
  revive(): Promise<void>;
  close(): Promise<void>;
};

/** A server with a record of every kind that tests can create, and callers of every kind. */
export async function openFuzzFixture(): Promise<FuzzFixture> {
  const toolDir = tempDir();
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir), GROUNDCTL_ALLOW_LOOPBACK_GIT: '1' };
  const server = await startTestServer({ env });
  const pool = await fillPool(server);
  const people = await findPeople(server);
  const principals = { ...others(server), ...people.principals, ...(await findTokens(server)) };
  return {
    server,
    pool,
    principals,
    revive: () => revive(server, people, principals),
    async close() {
      await server.close();
      fs.rmSync(toolDir, { recursive: true });
    },
  };
}

async function fillPool(server: TestServer): Promise<Pool> {
  const { api, workspaceId } = server;
  const [capsule, producer] = [await seedCapsule(server), await seedCapsule(server)];
  const states = [
    seedState(server, capsule, { generation: 1, outputs: { url: 'x' } }),
    seedState(server, producer, { generation: 1, outputs: { url: 'x' } }),
  ];
  const runs = [
    seedPlan(server, capsule, { moves: ['claim', 'requestApproval'] }),
    seedPlan(server, producer),
    seedRun(server, { type: 'source_sync' }),
  ].map(({ id }) => id);
  await sealStates(server, states);
  const sides = { fromWorkspaceId: workspaceId, toWorkspaceId: workspaceId, producerCapsuleId: producer.id };
  const { share } = (await api.createShare({ body: { ...sides, outputs: [{ name: 'url' }] } })).body;
  const link = { producerCapsuleId: producer.id, outputs: { url: { from: 'url', to: 'url' } } };
  const { dependency } = (await api.createDependency({ params: { capsuleId: capsule.id }, body: link })).body;
  const values = { GIT_HTTPS_TOKEN: 'x' };
  const git = { workspaceId, provider: 'git', kind: 'source_git_https_token' as const, values };
  const connectionId = (await api.createConnection({ body: git })).body.connection.id;
  const outsider = await server.join(undefined);
  const foreign = server.ledger((db) => addWorkspace(db, [outsider.subject]));
  const plan = {
    source: { name: 'n', url: nowhere, ref: 'HEAD', path: '.' },
    capsule: { name: 'c', environment: 'e' },
  };
  const response = await api.createInstallPlan({ params: { workspaceId }, body: plan }, { 'idempotency-key': 'fuzz' });
  const hook = { name: 'fuzz', url: 'https://receiver.invalid/', events: ['webhook.disabled' as const] };
  const { webhook } = (await api.createWebhook({ params: { workspaceId }, body: hook })).body;
  const { delivery } = (await api.testWebhook({ params: { workspaceId, webhookId: webhook.id } })).body;
  const workspaces = [workspaceId, workspaceId, workspaceId, foreign];
  const answer = (await api.createToken({ body: { name: 'to be revoked', scopes: ['read'] } })).body;
  const tokenId = [answer.token_record.id];
  return {
    tokenId,
    token_id: tokenId,
    workspaceId: workspaces,
    fromWorkspaceId: workspaces,
    toWorkspaceId: workspaces,
    selectedWorkspaceId: workspaces,
    workspace_id: workspaces,
    projectId: [`prj_default_${workspaceId}`, `prj_default_${foreign}`],
    capsuleId: [capsule.id, producer.id],
    producerCapsuleId: [producer.id, capsule.id],
    sourceId: [capsule.sourceId, producer.sourceId],
    capsuleConfigId: [capsule.installConfigId, 'cfg-default-opentofu-capsule'],
    installConfigId: [capsule.installConfigId],
    baseInstallConfigId: [capsule.installConfigId],
    stateVersionId: states,
    runId: runs,
    planRunId: runs,
    installPlanId: [response.body.installPlan.id],
    connectionId: [connectionId],
    anyConnectionId: [connectionId],
    authConnectionId: [connectionId],
    shareId: [share.id],
    dependencyId: [dependency.id],
    webhookId: [webhook.id],
    deliveryId: [delivery.id],
    subject: [server.subject, outsider.subject],
    actorId: [server.subject, 'system', 'operator'],
    url: [nowhere, 'ssh://git@example.com/a', 'https://user:pass@127.0.0.1/a', 'file:///etc', 'http://127.0.0.1:1/'],
    helperId: ['github'],
    version: ['v2.4', 'v1'],
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
type People = { subjects: Record<string, string>; principals: Record<string, Record<string, string>> };

async function findPeople(server: TestServer): Promise<People> {
  const people: People = {
    subjects: { owner: server.subject, header: server.subject },
    principals: { owner: bearer(server.token), header: { 'x-svc-account-session': server.token } },
  };
  for (const role of [...roles.filter((one) => one !== 'owner'), 'stranger'] as const) {
    const { subject, token } = await server.join(role === 'stranger' ? undefined : role);
    people.subjects[role] = subject;
    people.principals[role] = bearer(token);
  }
  return people;
}

async function findTokens(server: TestServer): Promise<Principals> {
  const createBearer = async (scopes: string[], workspace_id?: string) => {
    const body = { name: scopes.join(' '), scopes, ...(workspace_id !== undefined && { workspace_id }) };
    const answer = (await server.api.createToken({ body })).body;
    return bearer('token' in answer ? answer.token : '');
  };
  return {
    token: await createBearer(['read', 'write']),
    reader: await createBearer(['read']),
    bound: await createBearer(['read', 'write'], server.workspaceId),
  };
}

const others = (server: TestServer): Principals => ({
  operator: bearer(server.operatorToken),
  anonymous: {},
  dead: bearer(`sess_${'A'.repeat(43)}`),
  wrong: bearer(mark),
  basic: { authorization: `Basic ${Buffer.from(`a:${mark}`).toString('base64')}` },
  cookie: { cookie: `svc_session=${mark}; a=b` },
});

async function revive(server: TestServer, people: People, principals: Record<string, Record<string, string>>) {
  server.ledger(({ sqlite }) => {
    sqlite.prepare('UPDATE workspaces SET archived_at = NULL WHERE archived_at IS NOT NULL').run();
    const restore = sqlite.prepare(
      "UPDATE members SET role = ?, status = 'active' WHERE workspace_id = ? AND account_id = ?",
    );
    for (const role of roles) restore.run(role, server.workspaceId, people.subjects[role]);
  });
  const operator = server.as(server.operatorToken);
  for (const [name, subject] of Object.entries(people.subjects)) {
    const { json } = await server.raw({ path: '/api/v1/account/session/me', headers: principals[name] ?? {} });
    if ((json as { subject?: string }).subject === subject) continue;
    const { token } = (await operator.issueSession({ body: { subject } })).body.session;
    principals[name] = name === 'header' ? { 'x-svc-account-session': token } : bearer(token);
  }
}

/** Sends one request over a kept connection; a live stream counts as answered when it opens. */
function send(url: URL, agent: http.Agent, { method, path: address, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const size = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { host: url.hostname, port: url.port, agent, method, path: address };
    const request = http.request({ ...options, headers: { ...headers, ...size } }, (answer) => {
      const chunks: Buffer[] = [];
      const finish = () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() });
      if (answer.headers['content-type']?.startsWith('text/event-stream')) {
        finish();
        request.destroy();
        return;
      }
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', finish);
      answer.on('error', reject);
    });
    request.on('error', (error) => {
      if (!request.destroyed) reject(error);
    });
    request.end(body);
  });
}

/** Sent less often: after it most other requests only get the error that the caller is signed out. */
const endsSessions = ({ method, path }: Endpoint): boolean =>
  (method === 'DELETE' && path.startsWith('/account/session')) || path === '/account/password';

type FuzzShare = { requests: number; seconds: number; seed: number };
type FuzzReport = { requests: number; statuses: Map<number, number>; faults: string[]; ms: number };

const batch = 20;
/** In batches, because some of the requests end a session. */
const revivedAfter = 5;

type Fuzzed = {
  url: URL;
  requests: fc.Arbitrary<FuzzRequest>;
  findFault: (request: FuzzRequest, answer: FuzzAnswer) => string | undefined;
  /** Restores what a few batches of requests have ended. */
  revive?: () => Promise<void>;
};

/** Sends requests to these routes until the number is reached or the time is over, and returns the problems. */
export function fuzz(fixture: FuzzFixture, routes: readonly [string, Endpoint][], share: FuzzShare) {
  const allowed = routes.filter(([name]) => !leftOut.includes(name));
  const any = fc.oneof(
    ...allowed.map((route) => ({ weight: endsSessions(route[1]) ? 1 : 12, arbitrary: requestsTo(route, fixture) })),
  );
  return fuzzWith({ url: new URL(fixture.server.url), requests: any, findFault, revive: fixture.revive }, share);
}

/** Sends generated requests until the number is reached or the time is over, and returns the problems. */
export async function fuzzWith(
  { url, requests: any, findFault: faultOf, revive: restore }: Fuzzed,
  { requests, seconds, seed }: FuzzShare,
): Promise<FuzzReport> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: batch });
  const report: FuzzReport = { requests: 0, statuses: new Map(), faults: [], ms: 0 };
  const started = performance.now();
  const known = new Set<string>();
  const judge = async (request: FuzzRequest) => {
    const answer = await send(url, agent, request);
    report.requests += 1;
    report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1);
    const fault = faultOf(request, answer);
    const kind = `${request.name}: ${fault?.slice(0, 60)}`;
    if (fault === undefined || known.has(kind)) return;
    known.add(kind);
    const sent = { ...request, endpoint: undefined, body: request.body?.toString().slice(0, 600) };
    report.faults.push(`${request.name}: ${fault}\n  ${JSON.stringify({ ...sent, path: sent.path.slice(0, 300) })}`);
  };
  let batches = 0;
  const property = fc.asyncProperty(fc.array(any, { minLength: batch, maxLength: batch }), async (all) => {
    await Promise.all(all.map(judge));
    batches += 1;
    if (batches % revivedAfter === 0) await restore?.();
  });
  try {
    await fc.assert(property, {
      seed,
      numRuns: Math.ceil(requests / batch),
      interruptAfterTimeLimit: seconds * 1_000,
      endOnFailure: true,
    });
  } finally {
    agent.destroy();
  }
  return { ...report, ms: Math.round(performance.now() - started) };
}

/** One seed for all files of a run; GROUNDCTL_FUZZ_SEED repeats an earlier one. */
export const fuzzSeed = Number(process.env.GROUNDCTL_FUZZ_SEED ?? Date.now() % 2 ** 31);
export const fuzzShare = {
  /** CI sends twice as many, because reads and writes have a file each. */
  requests: depth({ quick: 400, deep: 250_000 }),
  /** Only a busy machine comes near this limit. */
  seconds: depth({ quick: 420, deep: 540 }),
  seed: fuzzSeed,
};
