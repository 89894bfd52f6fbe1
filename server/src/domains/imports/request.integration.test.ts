import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestImport } from '#shared/imports/contract';
import { ApiError } from '#shared/kernel/client';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { stateText } from '../../../test/state-fixture.ts';

let server: TestServer;
let git: GitHost;
let checked: Omit<RequestImport, 'name' | 'environment'>;
const canary = 'canary-5d20f1';
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  const main = `terraform {\n  required_providers {\n    test = { source = "test/test" }\n  }\n}
variable "pin" {\n  type = string\n}\nresource "test_thing" "one" {\n  name = var.pin\n}\n`;
  git.repository('module', { 'main.tf': main });
  const { api, workspaceId } = server;
  const { source } = (await api.createSource({ body: { workspaceId, name: 'module', url: git.url('module') } })).body;
  const { run } = (await api.syncSource({ params: { sourceId: source.id }, body: {} })).body;
  await server.ended(run.id);
  const { report } = (await api.checkCompatibility({ params: { sourceId: source.id }, body: {} })).body;
  checked = {
    sourceId: source.id,
    sourceSnapshotId: report.sourceSnapshotId,
    compatibilityReportId: report.id,
    installConfigId: 'cfg-default-opentofu-capsule',
    variables: { pin: canary },
    secretVariables: ['pin'],
  };
});
afterAll(() => Promise.all([server.close(), git.close()]));

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ApiError) return error.details['reason'] ?? error.code;
      throw error;
    },
  );

/** Uploads the state of one resource with its own lineage; returns the id of the import. */
async function upload(lineage: string, change: (text: string) => string = (text) => text): Promise<string> {
  const text = change(stateText([{ name: 'one' }]).replace('"lineage":"lineage"', `"lineage":"${lineage}"`));
  const params = { workspaceId: server.workspaceId };
  return (await server.api.uploadImport({ params, bytes: new TextEncoder().encode(text) })).body.import.id;
}
const newer = (text: string) => text.replace('"serial":1', '"serial":2');
const setRunStatus = (id: string, status: string) =>
  server.ledger(({ sqlite }) => sqlite.prepare('UPDATE runs SET status = ? WHERE id = ?').run(status, id));
const request = (importId: string, name: string, more: Partial<RequestImport> = {}) =>
  server.api.requestImport({ params: { importId }, body: { ...checked, name, environment: 'default', ...more } });
const capsulesNamed = async (name: string) => {
  const { body } = await server.api.listCapsules({ params: { workspaceId: server.workspaceId }, query: { q: name } });
  return body.capsules.filter((capsule) => capsule.name === name);
};

describe('the request of an import', () => {
  it('creates a pending Capsule and its restore Run once', async () => {
    const importId = await upload('once');
    const first = await request(importId, 'Once');
    expect([first.status, first.body.capsule.status, first.body.run]).toEqual([
      201,
      'pending',
      expect.objectContaining({ type: 'restore', status: 'waiting_approval', capsuleId: first.body.capsule.id }),
    ]);
    expect(first.body.import).toMatchObject({
      phase: 'requested',
      capsuleId: first.body.capsule.id,
      runId: first.body.run.id,
    });
    const again = await request(importId, 'Another name');
    expect([again.status, again.body.capsule.id, again.body.run.id]).toEqual([
      200,
      first.body.capsule.id,
      first.body.run.id,
    ]);
    expect(await reasonOf(server.api.deleteImport({ params: { importId } }))).toBe('import_requested');
    const rows = server.ledger(({ sqlite }) => sqlite.prepare('SELECT variable_mapping FROM install_configs').all());
    expect(JSON.stringify(rows)).not.toContain(canary);
  });

  it('follows a cancelled restore by another one for the same Capsule', async () => {
    const importId = await upload('cancelled');
    const { body } = await request(importId, 'Cancelled');
    await server.api.cancelRun({ params: { runId: body.run.id }, body: {} });
    const next = await request(importId, 'Cancelled');
    expect([next.status, next.body.capsule.id]).toEqual([201, body.capsule.id]);
    expect(next.body.run.id).not.toBe(body.run.id);
  });

  it('gives the state to the Capsule as generation 1 when it is approved, and keeps no copy', async () => {
    const importId = await upload('approved');
    const { body } = await request(importId, 'Approved');
    await server.api.approveRun({ params: { runId: body.run.id }, body: {} });
    await server.ended(body.run.id);
    const { capsule } = (await server.api.getCapsule({ params: { capsuleId: body.capsule.id } })).body;
    expect([capsule.status, capsule.currentStateGeneration]).toEqual(['stale', 1]);
    const state = server.ledger(({ sqlite }) =>
      sqlite.prepare('SELECT state FROM imports WHERE id = ?').pluck().get(importId),
    );
    expect(state).toBeNull();
    expect(await reasonOf(upload('approved', newer))).toBe('import_lineage_taken');
    expect((await request(importId, 'Approved')).status).toBe(200);
  });

  it('is refused while another import of the same resources waits for its approval', async () => {
    const [one, two] = [await upload('twice'), await upload('twice', newer)];
    const { body } = await request(one, 'Twice');
    expect(await reasonOf(request(two, 'Twice more'))).toBe('import_lineage_taken');
    expect(await capsulesNamed('Twice more')).toEqual([]);
    await server.api.cancelRun({ params: { runId: body.run.id }, body: {} });
    expect((await request(two, 'Twice more')).status).toBe(201);
    expect(await reasonOf(request(one, 'Twice'))).toBe('import_lineage_taken');
  });

  it('gives the resources of two approved imports to one Capsule only', async () => {
    const [one, two] = [await upload('both'), await upload('both', newer)];
    const first = (await request(one, 'Both')).body;
    setRunStatus(first.run.id, 'cancelled');
    const second = (await request(two, 'Both more')).body;
    setRunStatus(first.run.id, 'waiting_approval');
    for (const { run } of [first, second]) {
      await server.api.approveRun({ params: { runId: run.id }, body: {} });
      await server.ended(run.id);
    }
    const { run } = (await server.api.getRun({ params: { runId: second.run.id } })).body;
    expect([run.status, run.errorCode]).toEqual(['failed', 'restore_failed']);
    const { diagnostics } = (await server.api.getRunLogs({ params: { runId: run.id } })).body;
    expect(diagnostics[0]?.message).toContain('already has a state of this lineage');
    const { capsule } = (await server.api.getCapsule({ params: { capsuleId: second.capsule.id } })).body;
    expect([capsule.status, capsule.currentStateGeneration]).toEqual(['pending', 0]);
  });

  it('asks for the state again when its Capsule was destroyed', async () => {
    const importId = await upload('destroyed');
    const { body } = await request(importId, 'Destroyed');
    await server.api.approveRun({ params: { runId: body.run.id }, body: {} });
    await server.ended(body.run.id);
    server.ledger(({ sqlite }) =>
      sqlite.prepare("UPDATE capsules SET status = 'destroyed' WHERE id = ?").run(body.capsule.id),
    );
    expect(await reasonOf(request(importId, 'Once more'))).toBe('import_requested');
    expect(await capsulesNamed('Once more')).toHaveLength(0);
  });

  it('names the conversion of a state that terraform wrote', async () => {
    const importId = await upload('converted', (text) =>
      text.replace('registry.opentofu.org', 'registry.terraform.io'),
    );
    const { body } = await request(importId, 'Converted');
    const { restore } = (await server.api.getRestoreReview({ params: { runId: body.run.id } })).body;
    expect(restore.origin).toEqual({ kind: 'upload' });
    expect(restore.capsules[0]).toMatchObject({
      currentGeneration: 0,
      newGeneration: 1,
      conversion: { from: 'terraform', to: 'tofu' },
    });
  });

  it.each<[string, string, Partial<RequestImport>, (text: string) => string]>([
    [
      'a provider that the module does not use',
      'import_provider_missing',
      {},
      (text) => text.replace('/test/test', '/test/other'),
    ],
    ['a variable without a value', 'install_variable_required', { variables: {} }, (text) => text],
    ['a module of another path', 'capsule_source_revision_lineage_mismatch', { modulePath: 'other' }, (text) => text],
  ])('refuses %s, and creates nothing', async (what, reason, more, change) => {
    const importId = await upload(what, change);
    expect(await reasonOf(request(importId, what, more))).toBe(reason);
    expect(await capsulesNamed(what)).toEqual([]);
    expect((await server.api.getImport({ params: { importId } })).body.import.phase).toBe('uploaded');
  });

  it('refuses the name of a Capsule that exists', async () => {
    const importId = await upload('name');
    expect(await reasonOf(request(importId, 'Once'))).toBe('capsule_name_taken');
    expect(await capsulesNamed('Once')).toHaveLength(1);
  });
});
