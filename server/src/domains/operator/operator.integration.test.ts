import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capsules } from '#server/domains/capsules/schema';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedState } from '../../../test/ledger-rows.ts';

let server: TestServer;
let git: GitHost;
let operator: TestClient;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  git.repository('plain', { 'main.tf': 'variable "a" {\n  type = string\n}\noutput "a" {\n  value = var.a\n}\n' });
  operator = server.as(server.operatorToken);
});
afterAll(() => Promise.all([server.close(), git.close()]));

const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason ?? details?.field];
};
const request = (method: string, path: string, body?: unknown) =>
  server.raw({
    method,
    path: `/internal/v1${path}`,
    headers: {
      authorization: `Bearer ${server.operatorToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

test('creates and reads a Project in any Workspace', async () => {
  const { workspaceId } = server;
  const { project } = (await operator.createProjectAsOperator({ body: { workspaceId, name: 'Edge', slug: 'edge' } }))
    .body;
  expect(await operator.getProjectAsOperator({ params: { projectId: project.id } })).toMatchObject({
    body: { project },
  });
  expect(statusAndCode(await request('POST', '/projects', { workspaceId, name: 'Edge', slug: 'edge' }))).toEqual([
    409,
    'failed_precondition',
    'slug_taken',
  ]);
  expect(
    statusAndCode(await request('POST', '/projects', { workspaceId: 'ws_nothing', name: 'x', slug: 'x' }))[0],
  ).toBe(404);
  const { events } = (await operator.listAudit({ query: { action: 'project.created', actorId: 'operator' } })).body;
  expect(events[0]).toMatchObject({ workspaceId, targetId: project.id, actorId: 'operator' });
});

describe('a Capsule', () => {
  /** A Source that was synced and checked, ready for a Capsule. */
  async function checked() {
    const { api, workspaceId } = server;
    const { source } = (await api.createSource({ body: { workspaceId, name: 'plain', url: git.url('plain') } })).body;
    const { run } = (await api.syncSource({ params: { sourceId: source.id }, body: {} })).body;
    await server.ended(run.id);
    const { report } = (await api.checkCompatibility({ params: { sourceId: source.id }, body: {} })).body;
    return {
      workspaceId,
      name: 'Direct',
      environment: 'test',
      sourceId: source.id,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityReportId: report.id,
      installConfigId: 'cfg-default-opentofu-capsule',
      variables: { a: 'one' },
    };
  }

  test('is created in one call from a checked Source, by the rules of an installation', async () => {
    const body = await checked();
    const refused = async (more: object) => statusAndCode(await request('POST', '/capsules', { ...body, ...more }));
    expect(await refused({ variables: {} })).toEqual([400, 'invalid_argument', 'install_variable_required']);
    expect(await refused({ installConfigId: 'cfg-other' })).toEqual([
      409,
      'failed_precondition',
      'capsule_configuration_identity_conflict',
    ]);
    expect(await refused({ modulePath: 'elsewhere' })).toEqual([
      409,
      'failed_precondition',
      'capsule_source_revision_lineage_mismatch',
    ]);
    expect((await refused({ sourceId: `src_${'0'.repeat(26)}` }))[0]).toBe(404);
    expect((await refused({ projectId: 'prj_nothing' }))[0]).toBe(404);
    expect(await refused({ more: 1 })).toEqual([400, 'invalid_request', '/more']);
    const { project } = (
      await operator.createProjectAsOperator({ body: { workspaceId: server.workspaceId, name: 'P', slug: 'p' } })
    ).body;
    const { capsule } = (await operator.commitCapsule({ body: { ...body, projectId: project.id } })).body;
    expect(capsule).toMatchObject({
      status: 'pending',
      projectId: project.id,
      executionAuthorityEpoch: 1,
      name: 'Direct',
    });
    expect(await refused({ projectId: project.id })).toEqual([409, 'failed_precondition', 'capsule_name_taken']);
    const config = await server.api.getInstallConfig({ params: { capsuleConfigId: capsule.installConfigId } });
    expect(config.body.installConfig.variableMapping).toEqual({ a: 'one' });
    const { capsules: listed } = (await operator.listCapsulesAsOperator({ query: { workspaceId: server.workspaceId } }))
      .body;
    expect(listed.map(({ id }) => id)).toContain(capsule.id);
  });

  test('is disabled, refuses plans while disabled, and regains its status when enabled', async () => {
    const capsuleRow = await seedCapsule(server);
    const capsuleId = capsuleRow.id;
    const change = (body: object) => request('PATCH', `/capsules/${capsuleId}`, body);
    expect(statusAndCode(await change({ disabled: true }))).toEqual([
      409,
      'failed_precondition',
      'capsule_never_applied',
    ]);
    const stateVersionId = seedState(server, capsuleRow, { generation: 1 });
    server.ledger((db) =>
      db.orm
        .update(capsules)
        .set({ status: 'error', currentStateVersionId: stateVersionId })
        .where(eq(capsules.id, capsuleId))
        .run(),
    );
    for (let again = 0; again < 2; again += 1) {
      const answer = await change({ disabled: true });
      expect([answer.status, (answer.json as { capsule: object }).capsule]).toMatchObject([
        200,
        { status: 'disabled' },
      ]);
      expect(answer.text).not.toContain('disabledFrom');
    }
    expect(statusAndCode(await change({ status: 'active' }))).toEqual([409, 'failed_precondition', 'capsule_disabled']);
    expect(statusAndCode(await change({}))).toEqual([400, 'invalid_argument', 'empty_patch']);
    const { capsule } = (await operator.updateCapsuleAsOperator({ params: { capsuleId }, body: { disabled: false } }))
      .body;
    expect(capsule.status).toBe('error');
    const { events } = (await operator.listAudit({ query: { action: 'capsule.status_changed' } })).body;
    expect(events.map(({ metadata }) => metadata)).toEqual([
      { from: 'disabled', to: 'error' },
      { from: 'error', to: 'disabled' },
    ]);
  });

  test('shows its states and Outputs', async () => {
    const capsule = await seedCapsule(server);
    const params = { capsuleId: capsule.id };
    expect((await operator.getOutputsAsOperator({ params })).body).toEqual({ output: null });
    seedState(server, capsule, { generation: 1, outputs: { url: 'x' } });
    expect((await operator.getOutputsAsOperator({ params })).body.output?.publicOutputs).toEqual({ url: 'x' });
    expect((await operator.listStateVersionsAsOperator({ params })).body.stateVersions).toHaveLength(1);
    expect((await operator.getCapsuleAsOperator({ params })).body.installConfigReAdoption.authorityGuard).toMatch(
      /^sha256:/,
    );
    expect((await request('GET', `/state/cap_${'0'.repeat(26)}/versions`)).status).toBe(404);
  });
});

describe('a Run', () => {
  test('is requested for a Capsule or as the apply of a plan, and never as both', async () => {
    const { id: capsuleId } = await seedCapsule(server);
    const refused = async (body: object) => statusAndCode(await request('POST', '/runs', body));
    const planRunId = `plan_${'0'.repeat(26)}`;
    expect(await refused({})).toEqual([400, 'invalid_request', '/capsuleId']);
    expect(await refused({ capsuleId })).toEqual([400, 'invalid_request', '/type']);
    expect(await refused({ capsuleId, type: 'apply' })).toEqual([400, 'invalid_request', '/type']);
    expect(await refused({ capsuleId, planRunId })).toEqual([400, 'invalid_request', '/capsuleId']);
    expect((await refused({ planRunId }))[0]).toBe(404);
    expect((await refused({ capsuleId: `cap_${'0'.repeat(26)}`, type: 'plan' }))[0]).toBe(404);
    // This machine has no tool.
    expect(await refused({ capsuleId, type: 'plan' })).toEqual([503, 'runner_unavailable', undefined]);
  });

  test('is read, approved and cancelled, and records the operator as actor', async () => {
    const waiting = seedPlan(server, await seedCapsule(server), { moves: ['claim', 'requestApproval'] });
    const params = { runId: waiting.id };
    expect((await operator.getRunAsOperator({ params })).body.run.status).toBe('waiting_approval');
    expect((await operator.approveRunAsOperator({ params, body: {} })).body.run.approval).toMatchObject({
      by: 'operator',
    });
    expect((await operator.getRunLogsAsOperator({ params })).body.lineCount).toBeGreaterThanOrEqual(0);
    const queued = seedPlan(server, await seedCapsule(server), { moves: [] });
    const { run } = (await operator.cancelRunAsOperator({ params: { runId: queued.id }, body: {} })).body;
    expect(run.status).toBe('cancelled');
  });
});

describe('the trail', () => {
  test('is one chain over all Workspaces and accounts, newest first, page by page', async () => {
    const { events } = (await operator.listAudit({ query: { limit: '100' } })).body;
    for (const [at, event] of events.slice(1).entries()) {
      expect(event.seq).toBe((events[at]?.seq ?? 0) - 1);
      expect(event.hash).toBe(events[at]?.prevHash);
    }
    expect(events.some(({ workspaceId }) => workspaceId === undefined)).toBe(true);
    const first = (await operator.listAudit({ query: { limit: '2' } })).body;
    const second = (await operator.listAudit({ query: { limit: '2', cursor: first.nextCursor ?? '' } })).body;
    expect([...first.events, ...second.events].map(({ seq }) => seq)).toEqual(events.slice(0, 4).map(({ seq }) => seq));
    expect(statusAndCode(await request('GET', `/audit?limit=2&action=x&cursor=${first.nextCursor}`))).toEqual([
      400,
      'invalid_request',
      '/cursor',
    ]);
  });

  test('is filtered by Workspace, action, actor and time', async () => {
    const { events } = (await operator.listAudit({ query: {} })).body;
    const at = events[3]?.createdAt ?? '';
    const later = (await operator.listAudit({ query: { from: at } })).body.events;
    expect(later.every(({ createdAt }) => createdAt >= at)).toBe(true);
    const earlier = (await operator.listAudit({ query: { to: at } })).body.events;
    expect(earlier.every(({ createdAt }) => createdAt < at)).toBe(true);
    expect((await operator.listAudit({ query: { workspaceId: 'ws_nothing' } })).body.events).toEqual([]);
    const own = (await operator.listAudit({ query: { actorId: server.subject } })).body.events;
    expect(new Set(own.map(({ actorId }) => actorId))).toEqual(new Set([server.subject]));
    for (const from of ['yesterday', '2026-13-45T99:99:99.000Z', '2027-02-30T00:00:00.000Z'])
      expect(statusAndCode(await request('GET', `/audit?from=${from}`))).toEqual([400, 'invalid_request', '/from']);
  });
});

test('refuses features of later versions with the reason of this one', async () => {
  const { workspaceId } = server;
  expect((await request('POST', `/workspaces/${workspaceId}/restores`, { backupId: 'bkp_x' })).status).toBe(404);
  expect(statusAndCode(await request('POST', `/workspaces/${workspaceId}/restores`, {}))).toEqual([
    400,
    'invalid_request',
    '/backupId',
  ]);
});
