import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capsule } from '#shared/capsules/contract';
import type { JsonObject } from '#shared/kernel/json';
import type { ReAdoptionAnswer } from '#shared/re-adoptions/api';
import { filesHolding } from '../../../test/data-files.ts';
import type { RawAnswer } from '../../../test/harness.ts';
import { seedPlan } from '../../../test/ledger-rows.ts';
import { type ManifestFixture, refusalOf, startManifestFixture, values } from '../../../test/manifest-server.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

/* Moves of a Capsule to another version of its configuration. */

let fixture: ManifestFixture;
beforeAll(async () => {
  fixture = await startManifestFixture();
});
afterAll(() => fixture.close());

let count = 0;
const freshKey = () => {
  count += 1;
  return `adopt ${count}`;
};
async function installed(options: { repository?: string; variables?: JsonObject } = {}): Promise<Capsule> {
  const { capsuleId = '' } = await fixture.install(options);
  return (await fixture.server.api.getCapsule({ params: { capsuleId } })).body.capsule;
}
const again = async ({ id }: Pick<Capsule, 'id'>) =>
  (await fixture.server.api.getCapsule({ params: { capsuleId: id } })).body.capsule;

/** Syncs and checks another commit of the repository; returns its snapshot. */
async function commitTo(repository: string, capsule: Capsule, files: { [name: string]: string }): Promise<string> {
  fixture.repository(repository).commit(files);
  return syncAndCheck(capsule);
}
async function syncAndCheck({ sourceId }: Capsule): Promise<string> {
  const params = { sourceId };
  const { run } = (await fixture.server.api.syncSource({ params, body: { intent: 'manual_plan' } })).body;
  await fixture.server.ended(run.id);
  const [snapshot] = (await fixture.server.api.listSnapshots({ params })).body.snapshots;
  const sourceSnapshotId = snapshot?.id ?? '';
  await fixture.server.api.checkCompatibility({ params, body: { sourceSnapshotId } });
  return sourceSnapshotId;
}

const bodyOf = (capsule: Capsule, sourceSnapshotId: string, reviewedUserVariables?: JsonObject) => ({
  baseInstallConfigId: capsule.installConfigId,
  sourceSnapshotId,
  reason: 'Reviewed together.',
  ...(reviewedUserVariables && { reviewedUserVariables }),
  expected: { authorityGuard: capsule.installConfigReAdoption?.authorityGuard ?? '' },
});
const post = (capsuleId: string, body: unknown, key = freshKey()) =>
  fixture.server.request('POST', `/api/v1/capsules/${capsuleId}/install-config-re-adoptions`, body, {
    'idempotency-key': key,
  });
const answerOf = ({ json }: RawAnswer) => json as ReAdoptionAnswer;
let shared: Promise<{ before: Capsule; sourceSnapshotId: string }> | undefined;
/** One Capsule for all cases that change nothing. */
const unmoved = () => {
  shared ??= installed().then(async (before) => ({ before, sourceSnapshotId: await syncAndCheck(before) }));
  return shared;
};
const pinned = { public_url: values.public_url, seats: 4 };

describe('a Capsule that a manifest was adopted for', () => {
  test('moves to the manifest of the named snapshot, and nothing is planned', async () => {
    const before = await installed();
    const old = await fixture.configOf(before.installConfigId);
    const sourceSnapshotId = await commitTo('wiki', before, { 'later.tf': 'variable "later" { default = 1 }\n' });
    const answer = await post(before.id, bodyOf(before, sourceSnapshotId, { title: 'Shelves', ...pinned }));
    const { capsule, installConfigReAdoption: reAdoption } = answerOf(answer);
    expect([answer.status, reAdoption]).toEqual([
      200,
      {
        replayed: false,
        previousInstallConfigId: before.installConfigId,
        previousInstallConfigDigest: expect.stringMatching(/^sha256:/),
        targetInstallConfigId: capsule.installConfigId,
        targetInstallConfigDigest: expect.stringMatching(/^sha256:/),
        sourceSnapshotId,
      },
    ]);
    expect(capsule).toMatchObject({
      executionAuthorityEpoch: before.executionAuthorityEpoch + 1,
      status: before.status,
      latestRun: before.latestRun,
    });
    const now = await fixture.configOf(capsule.installConfigId);
    expect(now.variableMapping).toEqual({ ...old.variableMapping, title: 'Shelves', seats: 4 });
    const { events } = (
      await fixture.server.api.listActivity({ params: { workspaceId: fixture.server.workspaceId }, query: {} })
    ).body;
    const record = events.find(({ action }) => action === 'capsule.install_config_rebound');
    expect(record).toMatchObject({ targetId: before.id, createdAt: capsule.updatedAt });
    expect(JSON.stringify(record)).not.toContain('Shelves');
    expect(filesHolding(fixture.server.dataDir, values.admin_password)).toEqual([]);
    // An ordinary plan shows the resulting changes.
    const planned = await fixture.server.request('POST', `/api/v1/capsules/${before.id}/plan`, {});
    const { run } = planned.json as { run: { id: string } };
    expect(planned.status).toBe(201);
    await fixture.server.ended(run.id);
  });

  test('keeps its inputs when none are reviewed; reviewed inputs are the whole set, so that inputs left out are unset', async () => {
    const before = await installed();
    const sourceSnapshotId = await syncAndCheck(before);
    const adopted = answerOf(await post(before.id, bodyOf(before, sourceSnapshotId))).capsule;
    const one = (await fixture.configOf(adopted.installConfigId)).variableMapping;
    expect(one).toEqual((await fixture.configOf(before.installConfigId)).variableMapping);
    const bare = await post(before.id, bodyOf(await again(before), sourceSnapshotId, { title: 'T', seats: 1 }));
    const two = (await fixture.configOf(answerOf(bare).capsule.installConfigId)).variableMapping;
    expect([two['title'], two['seats'], two['public_url']]).toEqual(['T', 1, undefined]);
    // Secrets are not reviewed inputs: entered and generated ones stay as they are.
    expect(two['admin_password']).toBe('[REDACTED]');
    const secrets = fixture.server.ledger(
      (db) =>
        db.sqlite
          .prepare('SELECT count(*) AS n FROM install_configs WHERE id = ? AND secrets IS NOT NULL')
          .get(answerOf(bare).capsule.installConfigId) as { n: number },
    );
    expect(secrets.n).toBe(1);
  });

  test.each([
    ['a required input that is missing', { title: 'T' }, 'capsule_configuration_required_value_missing'],
    ['an unknown input', { ...pinned, title: 'T', nope: 1 }, 'capsule_configuration_manifest_user_variable_invalid'],
    ['a secret', { ...pinned, title: 'T', admin_password: 'x' }, '/reviewedUserVariables/admin_password'],
    [
      'a name that follows from the Capsule',
      { ...pinned, title: 'T', slug: 'x' },
      'capsule_configuration_manifest_user_variable_invalid',
    ],
    [
      'a default of the module',
      { ...pinned, title: 'T', region: 'x' },
      'capsule_configuration_manifest_user_variable_invalid',
    ],
    [
      'a value that a requirement delivers',
      { ...pinned, title: 'T', route: 'x' },
      'capsule_configuration_manifest_user_variable_invalid',
    ],
    [
      'a value that was generated for it',
      { ...pinned, title: 'T', session_key: 'x' },
      'capsule_configuration_manifest_user_variable_invalid',
    ],
    ['a value of another type', { ...pinned, title: ['T'] }, 'capsule_configuration_value_type_mismatch'],
    [
      'the placeholder of a secret',
      { ...pinned, title: '[REDACTED]' },
      'capsule_configuration_redacted_value_reserved',
    ],
  ])('is refused %s, and nothing is written', async (_what, reviewed, reason) => {
    const { before, sourceSnapshotId } = await unmoved();
    const rows = () =>
      fixture.server.ledger((db) => db.sqlite.prepare('SELECT count(*) AS n FROM install_configs').get());
    const had = rows();
    expect(refusalOf(await post(before.id, bodyOf(before, sourceSnapshotId, reviewed)))).toEqual([
      400,
      'invalid_request',
      reason,
    ]);
    expect([rows(), await again(before)]).toEqual([had, before]);
  });

  test('is unchanged when the snapshot has no manifest for its module, or one that does not fit', async () => {
    const before = await installed({ repository: 'moving' });
    const broken = await commitTo('moving', before, { '.well-known/svc.json': '{}' });
    expect(refusalOf(await post(before.id, bodyOf(before, broken)))).toEqual([
      409,
      'repository_install_ux_invalid',
      'repository_install_ux_invalid_document',
    ]);
    fixture.repository('moving').git('rm', '-q', '.well-known/svc.json');
    const bare = await commitTo('moving', before, { 'more.txt': 'x' });
    expect(refusalOf(await post(before.id, bodyOf(before, bare)))).toEqual([
      409,
      'failed_precondition',
      'capsule_configuration_manifest_authority_unavailable',
    ]);
    expect(await again(before)).toEqual(before);
  });
});

describe('a Capsule without a manifest', () => {
  test('takes the declared inputs of the named snapshot', async () => {
    const before = await installed({ repository: 'plain', variables: { name: 'one' } });
    const sourceSnapshotId = await commitTo('plain', before, { 'size.tf': 'variable "size" { type = number }\n' });
    expect(refusalOf(await post(before.id, bodyOf(before, sourceSnapshotId)))).toEqual([
      400,
      'invalid_request',
      'capsule_configuration_required_value_missing',
    ]);
    const { capsule } = answerOf(await post(before.id, bodyOf(before, sourceSnapshotId, { name: 'two', size: 3 })));
    expect((await fixture.configOf(capsule.installConfigId)).variableMapping).toEqual({ name: 'two', size: 3 });
  });
});

describe('a repeat', () => {
  test('returns the same version and moves nothing; another request under the key is refused', async () => {
    const before = await installed();
    const body = bodyOf(before, await syncAndCheck(before), { title: 'T', ...pinned });
    const key = freshKey();
    const [one, two] = await Promise.all([post(before.id, body, key), post(before.id, body, key)]);
    const answers = [one, two].map((each) => answerOf(each).installConfigReAdoption);
    expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(answers[0]).toEqual({ ...answers[1], replayed: answers[0]?.replayed });
    expect((await again(before)).executionAuthorityEpoch).toBe(before.executionAuthorityEpoch + 1);
    expect(refusalOf(await post(before.id, { ...body, reason: 'Another.' }, key))).toEqual([
      409,
      'idempotency_conflict',
      undefined,
    ]);
    // A caller that read the Capsule before is refused.
    expect(refusalOf(await post(before.id, body))[2]).toBe('capsule_install_config_rebind_conflict');
  });
});

describe('is not moved', () => {
  const lineage = [409, 'failed_precondition', 'capsule_source_revision_lineage_mismatch'];

  test('by a role that may only propose, or with an invalid guard', async () => {
    const { before, sourceSnapshotId } = await unmoved();
    const body = bodyOf(before, sourceSnapshotId);
    const path = `/api/v1/capsules/${before.id}/install-config-re-adoptions`;
    const member = await fixture.server.join('member');
    const proposing = { authorization: `Bearer ${member.token}`, 'idempotency-key': freshKey() };
    expect(refusalOf(await fixture.server.request('POST', path, body, proposing)).slice(0, 2)).toEqual([
      403,
      'forbidden',
    ]);
    expect(refusalOf(await post(before.id, { ...body, expected: { authorityGuard: 'sha256:x' } }))).toEqual([
      400,
      'invalid_request',
      '/expected/authorityGuard',
    ]);
    expect(await again(before)).toEqual(before);
  });

  test('to a snapshot of another Workspace or Source, one that was not checked, or is not ready', async () => {
    const { before } = await unmoved();
    const params = { sourceId: before.sourceId };
    const to = async (id: string) => refusalOf(await post(before.id, bodyOf(before, id)));
    const other = await fixture.synced('offering');
    const [alien] = (await fixture.server.api.listSnapshots({ params: { sourceId: other } })).body.snapshots;
    expect(await to(alien?.id ?? '')).toEqual(lineage);
    const { subject } = await fixture.server.join(undefined);
    const move = (workspaceId: string) =>
      fixture.server.ledger((db) =>
        db.sqlite.prepare('UPDATE source_snapshots SET workspace_id = ? WHERE id = ?').run(workspaceId, alien?.id),
      );
    move(fixture.server.ledger((db) => addWorkspace(db, [subject])));
    expect((await to(alien?.id ?? '')).slice(0, 2)).toEqual([403, 'forbidden']);
    move(fixture.server.workspaceId);
    fixture.repository('wiki').commit({ 'fresh.txt': 'x' });
    const { run } = (await fixture.server.api.syncSource({ params, body: { intent: 'manual_plan' } })).body;
    await fixture.server.ended(run.id);
    const sourceSnapshotId = (await fixture.server.api.listSnapshots({ params })).body.snapshots[0]?.id ?? '';
    expect((await to(sourceSnapshotId))[2]).toBe('compatibility_report_missing');
    fixture.repository('wiki').commit({ 'x.tf': 'module "x" {\n  source = "registry.example.com/a/b/c"\n}\n' });
    expect((await to(await syncAndCheck(before)))[2]).toBe('compatibility_not_runnable');
    fixture.repository('wiki').git('rm', '-q', 'x.tf', 'fresh.txt');
    fixture.repository('wiki').commit({ 'main.md': 'x' });
    expect(await again(before)).toEqual(before);
  });

  test('when its Workspace is archived', async () => {
    const { before, sourceSnapshotId } = await unmoved();
    const archive = (at: number | null) =>
      fixture.server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
    archive(1);
    expect(refusalOf(await post(before.id, bodyOf(before, sourceSnapshotId)))[2]).toBe('workspace_archived');
    archive(null);
  });

  test('while a plan runs, or after an apply that did not succeed', async () => {
    const before = await installed();
    const sourceSnapshotId = await syncAndCheck(before);
    seedPlan(fixture.server, before, { moves: ['claim'] });
    expect(refusalOf(await post(before.id, bodyOf(before, sourceSnapshotId)))[2]).toBe(
      'capsule_install_config_rebind_busy',
    );
    const unsafe = await installed();
    fixture.server.ledger((db) =>
      db.sqlite.prepare("UPDATE capsules SET runtime_safety = 'unknown' WHERE id = ?").run(unsafe.id),
    );
    expect(refusalOf(await post(unsafe.id, bodyOf(unsafe, await syncAndCheck(unsafe))))[2]).toBe(
      'capsule_runtime_unsafe',
    );
  });

  test('a plan that waits for approval is superseded', async () => {
    const before = await installed();
    const sourceSnapshotId = await syncAndCheck(before);
    const plan = seedPlan(fixture.server, before, { moves: ['claim', 'requestApproval'] });
    expect((await post(before.id, bodyOf(await again(before), sourceSnapshotId))).status).toBe(200);
    const { run } = (await fixture.server.api.getRun({ params: { runId: plan.id } })).body;
    expect(run.superseded).toMatchObject({ reason: 'authority_epoch' });
  });
});
