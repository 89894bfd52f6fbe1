import { createBackupKeyPair } from '../../src/drivers/backup-archive/index.ts';
import type { TestServer } from '../harness.ts';
import { seedCapsule, seedPlan, seedState } from '../ledger-rows.ts';

/** The operator's own routes, with a Capsule that has a report. */
export async function requestOperator(server: TestServer, capsuleId: string): Promise<void> {
  const { workspaceId } = server;
  const operator = server.as(server.operatorToken);
  await operator.testMail({ body: { email: 'ada@example.com' } });
  const { project } = (await operator.createProjectAsOperator({ body: { workspaceId, name: 'Edge', slug: 'edge' } }))
    .body;
  await operator.getProjectAsOperator({ params: { projectId: project.id } });
  await operator.listCapsulesAsOperator({ query: { workspaceId } });
  const params = { capsuleId };
  const { capsule } = (await operator.getCapsuleAsOperator({ params })).body;
  const report = (await server.api.getReport({ params: { reportId: capsule.compatibilityReportId ?? '' } })).body
    .report;
  await operator.commitCapsule({
    body: {
      workspaceId,
      name: 'Direct',
      environment: 'test',
      sourceId: capsule.sourceId,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityReportId: report.id,
      installConfigId: 'cfg-default-opentofu-capsule',
    },
  });
  await operator.updateCapsuleAsOperator({ params, body: { autoUpdate: false } });
  await operator.getOutputsAsOperator({ params });
  await operator.listStateVersionsAsOperator({ params });
  const { run } = (await operator.requestRun({ body: { capsuleId, type: 'plan' } })).body;
  await operator.getRunAsOperator({ params: { runId: run.id } });
  await operator.getRunLogsAsOperator({ params: { runId: run.id } });
  await server.ended(run.id);
  const waiting = seedPlan(server, await seedCapsule(server), { moves: ['claim', 'requestApproval'] });
  await operator.approveRunAsOperator({ params: { runId: waiting.id }, body: {} });
  const queued = seedPlan(server, await seedCapsule(server), { moves: [] });
  await operator.cancelRunAsOperator({ params: { runId: queued.id }, body: {} });
  await operator.patchInstallConfig({
    params: { installConfigId: 'cfg-default-opentofu-capsule' },
    body: { kind: 'svc.install-config-patch@v1', outputAllowlist: {} },
  });
  const { installConfig } = (await operator.createInstallConfig({ body: { workspaceId, name: 'Prepared' } })).body;
  await operator.deleteInstallConfig({ params: { installConfigId: installConfig.id } });
  await backUp(server);
  await operator.listAudit({});
  await migrateOutput(server);
}

async function backUp({ raw, operatorToken }: TestServer): Promise<void> {
  const { recipient } = await createBackupKeyPair();
  await raw({
    method: 'POST',
    path: '/internal/v1/installation-backups',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ encryptFor: { recipients: [recipient] } }),
  });
}

async function migrateOutput(server: TestServer): Promise<void> {
  const { as, operatorToken, workspaceId } = server;
  const operator = as(operatorToken);
  const capsule = await seedCapsule(server, { status: 'active' });
  seedState(server, capsule, { generation: 1, outputs: { launch_url: 'https://notes.example.com/' } });
  const params = { workspaceId };
  const { candidates } = (await operator.listOutputInterfaceMigrations({ params })).body;
  const candidate = candidates.find(({ capsuleId }) => capsuleId === capsule.id);
  if (!candidate) throw new Error('the Capsule is not a candidate');
  const selection = {
    name: 'Migrated',
    type: 'interface.ui.surface',
    version: '1',
    document: {},
    inputName: 'endpoint',
    outputName: 'launch_url',
    access: { visibility: 'workspace' as const },
  };
  await operator.migrateOutputInterface({ params, body: { candidate, selection } });
}
