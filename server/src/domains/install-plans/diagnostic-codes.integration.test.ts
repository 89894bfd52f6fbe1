import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';

/* Installations whose Source, Capsule or evidence changes between two steps. */

let server: TestServer;
let git: GitHost;
const toolDir = tempDir();
beforeAll(async () => {
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  git.repository('plain', { 'main.tf': 'output "a" { value = 1 }\n' });
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

let count = 0;
/** Starts an installation of a Source of its own. */
async function startInstall(): Promise<string> {
  count += 1;
  const repository = `copy-${count}`;
  git.repository(repository, { 'main.tf': 'output "a" { value = 1 }\n' });
  const body = {
    source: { name: 'Modules', url: git.url(repository), ref: 'main', path: '.' },
    capsule: { name: `Capsule ${count}`, environment: 'test' },
  };
  const params = { workspaceId: server.workspaceId };
  const answer = await server.api.createInstallPlan({ params, body }, { 'idempotency-key': `key ${count}` });
  return answer.body.installPlan.id;
}
const reconcile = async (installPlanId: string) =>
  (await server.api.reconcileInstallPlan({ params: { installPlanId } })).body.installPlan;
/** Reconciles until a reference is set. */
async function advanceTo(
  id: string,
  fact: 'sourceId' | 'sourceSyncRunId' | 'sourceSnapshotId' | 'installModulePath' | 'capsuleId' | 'planRunId',
) {
  let plan = await reconcile(id);
  while (plan[fact] === undefined && plan.phase !== 'failed') plan = await reconcile(id);
  return plan;
}
/** Reconciles until the installation ends. */
async function end(id: string) {
  let plan = await reconcile(id);
  while (plan.phase !== 'failed' && plan.phase !== 'reviewable') plan = await reconcile(id);
  return [plan.phase, plan.diagnostic?.code, plan.diagnostic?.planCreationStage];
}
const execute = (sql: string, ...values: unknown[]) => server.ledger((db) => db.sqlite.prepare(sql).run(...values));

describe('an installation whose Source', () => {
  const changed = ['failed', 'source_identity_changed', 'source'];

  test('was disabled is not synced', async () => {
    const id = await startInstall();
    const { sourceId = '' } = await advanceTo(id, 'sourceId');
    await server.api.updateSource({ params: { sourceId }, body: { status: 'disabled' } });
    expect(await end(id)).toEqual(changed);
  });

  test('was deleted ends with the same code', async () => {
    const id = await startInstall();
    const { sourceId = '' } = await advanceTo(id, 'sourceId');
    await server.api.deleteSource({ params: { sourceId } });
    expect(await end(id)).toEqual(changed);
  });

  test('is read by another Connection is not installed from it', async () => {
    const id = await startInstall();
    const { sourceId } = await advanceTo(id, 'sourceSyncRunId');
    execute('UPDATE sources SET auth_connection_id = ? WHERE id = ?', 'conn_other', sourceId);
    expect(await end(id)).toEqual(changed);
  });

  test('was disabled reports the stage of its own step, not of the first installation that failed so', async () => {
    const [early, late] = [await startInstall(), await startInstall()];
    const disable = (sourceId = '') => server.api.updateSource({ params: { sourceId }, body: { status: 'disabled' } });
    await disable((await advanceTo(early, 'sourceId')).sourceId);
    expect(await end(early)).toEqual(changed);
    await disable((await advanceTo(late, 'installModulePath')).sourceId);
    expect(await end(late)).toEqual(['failed', 'source_identity_changed', 'preparation']);
  });
});

describe('an installation', () => {
  test('whose sync Run belongs to another ref uses no snapshot of it', async () => {
    const id = await startInstall();
    const { sourceSyncRunId: runId = '' } = await advanceTo(id, 'sourceSyncRunId');
    await server.ended(runId);
    execute("UPDATE runs SET facts = json_set(facts, '$.ref', 'other') WHERE id = ?", runId);
    expect(await end(id)).toEqual(['failed', 'source_sync_scope_mismatch', 'source']);
  });

  test('whose snapshot was not stored asks for another sync', async () => {
    const id = await startInstall();
    const { sourceSyncRunId: runId = '' } = await advanceTo(id, 'sourceSyncRunId');
    await server.ended(runId);
    execute("UPDATE runs SET facts = json_remove(facts, '$.sourceSnapshotId') WHERE id = ?", runId);
    expect(await end(id)).toEqual(['failed', 'source_snapshot_missing', 'source']);
  });

  test('whose snapshot files were deleted asks for another sync', async () => {
    const id = await startInstall();
    await advanceTo(id, 'sourceSnapshotId');
    fs.rmSync(`${server.dataDir}/archives`, { recursive: true });
    expect((await end(id)).slice(0, 2)).toEqual(['failed', 'source_snapshot_missing']);
  });

  test('whose check lists no variables is not created', async () => {
    const id = await startInstall();
    const { sourceSnapshotId } = await advanceTo(id, 'installModulePath');
    const path = '$.reports[0].rootModuleVariableDeclarations';
    execute('UPDATE snapshot_scans SET result = json_remove(result, ?) WHERE snapshot_id = ?', path, sourceSnapshotId);
    expect((await end(id)).slice(0, 2)).toEqual(['failed', 'generic_opentofu_variable_declarations_missing']);
  });

  test('whose module could not be scanned does not blame the module', async () => {
    const id = await startInstall();
    const { sourceId = '', sourceSnapshotId = '' } = await advanceTo(id, 'sourceSnapshotId');
    const params = { sourceId, sourceSnapshotId };
    const { body } = await server.api.getInstallModules({ params });
    const discovery = { ...body, status: 'invalid', reason: 'scan_failed', modules: [], findings: [], cleanScopes: [] };
    execute(
      "UPDATE snapshot_scans SET result = json_set(result, '$.discovery', json(?)) WHERE snapshot_id = ?",
      JSON.stringify(discovery),
      sourceSnapshotId,
    );
    expect((await end(id)).slice(0, 2)).toEqual(['failed', 'generic_opentofu_compatibility_analysis_failed']);
  });

  test('whose Capsule was disabled is not planned', async () => {
    const id = await startInstall();
    const { capsuleId } = await advanceTo(id, 'capsuleId');
    execute("UPDATE capsules SET status = 'disabled' WHERE id = ?", capsuleId);
    expect(await end(id)).toEqual(['failed', 'capsule_identity_changed', 'create']);
  });

  test('whose plan Run belongs to another Capsule is not reviewable', async () => {
    const [id, otherId] = [await startInstall(), await startInstall()];
    const { planRunId = '' } = await advanceTo(otherId, 'planRunId');
    const { planRunId: ownId = '' } = await advanceTo(id, 'planRunId');
    await Promise.all([server.ended(planRunId), server.ended(ownId)]);
    execute("UPDATE install_plans SET facts = json_set(facts, '$.planRunId', ?) WHERE id = ?", planRunId, id);
    expect(await end(id)).toEqual(['failed', 'plan_run_identity_conflict', 'create']);
  });
});
