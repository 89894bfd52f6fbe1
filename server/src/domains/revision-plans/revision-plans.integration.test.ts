import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capsule } from '#shared/capsules/contract';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestClient, type TestServer, tempDir } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';

/* Updates of a Capsule to a ref, and moves to another version of its configuration, through the API. */

let server: TestServer;
let git: GitHost;
const toolDir = tempDir();
beforeAll(async () => {
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  const { git: run, commit } = git.repository('plain', { 'main.tf': 'output "a" { value = 1 }\n' });
  run('tag', 'v1.0.0');
  run('checkout', '-q', '-b', 'typed');
  commit({ 'more.tf': 'resource "terraform_data" "x" {}\n' });
  run('checkout', '-q', 'main');
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

let count = 0;
function next(): number {
  count += 1;
  return count;
}
const fresh = () => ({ 'idempotency-key': `key ${next()}` });

/** Creates a Capsule that was installed from Git and is applied according to the ledger. */
async function makeApplied(api: TestClient = server.api): Promise<Capsule> {
  const params = { workspaceId: server.workspaceId };
  const body = {
    source: { name: 'Modules', url: git.url('plain'), ref: 'main', path: '.' },
    capsule: { name: `Web ${next()}`, environment: 'test' },
  };
  let answer = (await api.createInstallPlan({ params, body }, fresh())).body;
  while (answer.nextAction === 'reconcile')
    answer = (await api.reconcileInstallPlan({ params: { installPlanId: answer.installPlan.id } })).body;
  const { capsuleId = '', sourceSnapshotId = '', planRunId = '' } = answer.installPlan;
  await server.ended(planRunId);
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  seedState(server, capsule, { generation: 1, sourceSnapshotId });
  server.ledger((db) => db.sqlite.prepare("UPDATE capsules SET status = 'active' WHERE id = ?").run(capsuleId));
  return (await api.getCapsule({ params: { capsuleId } })).body.capsule;
}

const statusAndCode = ({ status, json }: { status: number; json: unknown }) => {
  const { error } = json as { error?: { code: string; details?: { reason?: string } } };
  return [status, error?.details?.reason ?? error?.code];
};
const start = (capsuleId: string, body: unknown, headers: Record<string, string> = fresh()) =>
  server.request('POST', `/api/v1/capsules/${capsuleId}/revision-plans`, body, headers);

async function advance(id: string, isEnough = ({ nextAction }: RevisionPlanAnswer) => nextAction !== 'reconcile') {
  const params = { revisionPlanId: id };
  for (;;) {
    const { body } = await server.api.reconcileRevisionPlan({ params });
    if (isEnough(body)) return body;
  }
}

describe('an update to a ref', () => {
  test('that the policy of its configuration forbids does not create a plan', async () => {
    const { id, installConfigId } = await makeApplied();
    server.ledger((db) =>
      db.sqlite
        .prepare('UPDATE install_configs SET policy = ? WHERE id = ?')
        .run('{"allowedResourceTypes":[]}', installConfigId),
    );
    const body = (await start(id, { ref: 'typed' })).json as { revisionPlan: { id: string } };
    const { diagnostic, planRunId, compatibilityReportId = '' } = (await advance(body.revisionPlan.id)).revisionPlan;
    expect(diagnostic).toMatchObject({
      code: 'revision_compatibility_not_runnable',
      reason: 'resource_type_not_allowed',
    });
    expect(planRunId).toBeUndefined();
    // The report has every finding; the diagnostic has one of them.
    const { report } = (await server.api.getReport({ params: { reportId: compatibilityReportId } })).body;
    expect(report).toMatchObject({ level: expect.stringMatching(/^(?!ready)/), findings: [expect.anything()] });
  });

  test('advances over a sync and a check to a plan of that commit, and leaves the Source unchanged', async () => {
    const { id, sourceId } = await makeApplied();
    const params = { capsuleId: id };
    const { status, body } = await server.api.createRevisionPlan({ params, body: { ref: 'v1.0.0' } }, fresh());
    expect(status).toBe(201);
    expect(body).toMatchObject({
      revisionPlan: {
        id: expect.stringMatching(/^grp_/),
        operation: 'revision',
        phase: 'syncing_source',
        generation: 0,
        capsuleId: id,
        revision: { targetRef: 'v1.0.0', base: { capsuleStateGeneration: 1, sourceDefaultRef: 'main' } },
      },
      nextAction: 'reconcile',
    });
    const ended = await advance(body.revisionPlan.id);
    // The tool of this server cannot plan; the test only needs the plan Run.
    expect(ended.revisionPlan).toMatchObject({
      phase: 'failed',
      diagnostic: { code: 'plan_run_failed' },
      sourceSnapshotId: expect.any(String),
      compatibilityReportId: expect.any(String),
    });
    const { run } = (await server.api.getRun({ params: { runId: ended.revisionPlan.planRunId ?? '' } })).body;
    expect(run).toMatchObject({ type: 'plan', capsuleId: id, ref: 'v1.0.0' });
    expect((await server.api.getSource({ params: { sourceId } })).body.source).toMatchObject({ defaultRef: 'main' });
    const again = await server.api.getRevisionPlan({ params: { revisionPlanId: ended.revisionPlan.id } });
    expect(again.body).toEqual(ended);
  });

  test('is the same record for the same key and ref, and a conflict for another request, also for an installation', async () => {
    const { id } = await makeApplied();
    const key = fresh();
    const first = await start(id, { ref: 'main' }, key);
    const second = await start(id, { ref: 'main' }, key);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json).toEqual(first.json);
    expect(statusAndCode(await start(id, { ref: 'v1.0.0' }, key))).toEqual([409, 'idempotency_conflict']);
    const install = {
      source: { name: 'Modules', url: git.url('plain'), ref: 'main', path: '.' },
      capsule: { name: 'Another', environment: 'test' },
    };
    const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
    expect(statusAndCode(await server.request('POST', path, install, key))).toEqual([409, 'idempotency_conflict']);
    expect(statusAndCode(await start(id, { ref: 'main' }, {}))).toEqual([400, 'idempotency_key_required']);
  });

  test('ends when the Capsule has changed since the request', async () => {
    const capsule = await makeApplied();
    const { json } = await start(capsule.id, { ref: 'main' });
    seedState(server, capsule, { generation: 2 });
    const { id } = (json as { revisionPlan: { id: string } }).revisionPlan;
    expect((await advance(id)).revisionPlan.diagnostic?.code).toBe('revision_identity_changed');
  });

  test('is refused for an invalid ref, and for a Capsule that was never applied, is disabled or destroyed', async () => {
    const capsule = await seedCapsule(server);
    expect(statusAndCode(await start(capsule.id, { ref: '-x' }))).toEqual([400, 'ref_invalid']);
    expect(statusAndCode(await start(capsule.id, { ref: 'main', path: '.' }))).toEqual([400, 'invalid_request']);
    expect(statusAndCode(await start(capsule.id, { ref: 'main' }))).toEqual([409, 'capsule_never_applied']);
    await server.api.updateSource({ params: { sourceId: capsule.sourceId }, body: { status: 'disabled' } });
    expect(statusAndCode(await start(capsule.id, { ref: 'main' }))).toEqual([409, 'source_disabled']);
    const gone = await seedCapsule(server, { status: 'destroyed' });
    expect(statusAndCode(await start(gone.id, { ref: 'main' }))).toEqual([409, 'capsule_destroyed']);
    const missing = `/api/v1/revision-plans/gip_${'0'.repeat(26)}`;
    expect(statusAndCode(await server.request('GET', missing))).toEqual([404, 'not_found']);
    expect(statusAndCode(await server.request('POST', `${missing}/reconcile`))).toEqual([404, 'not_found']);
  });

  test('of a member can be advanced by that member', async () => {
    const { id } = await makeApplied();
    const [one, other] = [await server.join('member'), await server.join('member')];
    const { body } = await one.api.createRevisionPlan({ params: { capsuleId: id }, body: { ref: 'main' } }, fresh());
    const params = { revisionPlanId: body.revisionPlan.id };
    await expect(other.api.reconcileRevisionPlan({ params })).rejects.toMatchObject({ status: 403 });
    expect((await one.api.reconcileRevisionPlan({ params })).status).toBe(200);
  });
});

describe('a move to another version of the configuration', () => {
  const adopt = (capsuleId: string, body: unknown, headers: Record<string, string> = fresh()) =>
    server.request('POST', `/api/v1/capsules/${capsuleId}/install-config-re-adoptions`, body, headers);
  async function reAdoptBodyOf(capsule: Capsule) {
    const params = { sourceId: capsule.sourceId };
    const [snapshot] = (await server.api.listSnapshots({ params })).body.snapshots;
    return {
      baseInstallConfigId: capsule.installConfigId,
      sourceSnapshotId: snapshot?.id ?? '',
      reason: 'Reviewed together.',
      expected: capsule.installConfigReAdoption ?? { authorityGuard: '' },
    };
  }

  test('is possible when the plan of an update has ended, although the update was not reconciled to its end', async () => {
    const capsule = await makeApplied();
    const { json } = await start(capsule.id, { ref: 'main' });
    const { id } = (json as RevisionPlanAnswer).revisionPlan;
    const planned = await advance(id, ({ revisionPlan }) => revisionPlan.planRunId !== undefined);
    expect(planned.nextAction).toBe('reconcile');
    await server.ended(planned.revisionPlan.planRunId ?? '');
    expect(statusAndCode(await adopt(capsule.id, await reAdoptBodyOf(capsule)))).toEqual([200, undefined]);
  });

  test('is refused with the first violated rule', async () => {
    const capsule = await makeApplied();
    const body = await reAdoptBodyOf(capsule);
    expect(statusAndCode(await adopt(capsule.id, body, {}))).toEqual([400, 'invalid_request']);
    expect(statusAndCode(await adopt(capsule.id, { ...body, reason: 'token=abcdef123456' }))).toEqual([
      400,
      'invalid_request',
    ]);
    const secretNamed = { ...body, reviewedUserVariables: { api_password: 'x' } };
    expect(statusAndCode(await adopt(capsule.id, secretNamed))).toEqual([400, 'invalid_request']);
    const stale = { ...body, expected: { authorityGuard: `sha256:${'0'.repeat(64)}` } };
    expect(statusAndCode(await adopt(capsule.id, stale))).toEqual([409, 'capsule_install_config_rebind_conflict']);
    const other = { ...body, baseInstallConfigId: 'icfg_0000000000000000' };
    expect(statusAndCode(await adopt(capsule.id, other))).toEqual([409, 'capsule_install_config_rebind_conflict']);
    const unknown = { ...body, sourceSnapshotId: `snap_${'0'.repeat(26)}` };
    expect(statusAndCode(await adopt(capsule.id, unknown))).toEqual([404, 'not_found']);
    await start(capsule.id, { ref: 'main' });
    expect(statusAndCode(await adopt(capsule.id, body))).toEqual([409, 'capsule_install_config_rebind_busy']);
    const { json } = await server.raw({
      method: 'POST',
      path: `/api/v1/capsules/${capsule.id}/install-config-re-adoptions`,
    });
    expect(json).toMatchObject({ error: { code: 'invalid_token' } });
  });
});
