import { afterEach, describe, expect, it } from 'vitest';
import { actionOf, playActions } from '../../../test/action-player.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';

let fixture: ScheduleFixture;
afterEach(() => fixture?.close());

/** A Capsule whose apply succeeded and whose action after it failed. */
async function openFailed() {
  fixture = await openScheduleFixture(heldClock(), {
    lifecycleActions: [actionOf('migrate'), actionOf('drain', { phase: 'pre_destroy' })],
  });
  const { id: capsuleId, sourceId } = fixture.makeCapsule();
  const play = playActions(fixture);
  const applyRunId = await play.applied(capsuleId);
  await play.end(applyRunId, 0, 7);
  return { ...play, capsuleId, sourceId, applyRunId, sourceSnapshotId: snapshotOf(capsuleId) };
}
const snapshotOf = (capsuleId: string): string =>
  fixture.domains.capsules.getCapsule(capsuleId).adoptedSourceRevision?.sourceSnapshotId ?? '';
const guardOf = (capsuleId: string) => fixture.domains.capsules.getGuarded(capsuleId);

let keys = 0;
function reAdopt(capsuleId: string, { authorityGuard, key }: { authorityGuard?: string; key?: string } = {}) {
  keys += 1;
  const { capsule, installConfigReAdoption } = guardOf(capsuleId);
  return fixture.domains.reAdoptions.adopt({
    capsuleId,
    actorId: fixture.owner,
    key: key ?? `key ${keys}`,
    body: {
      baseInstallConfigId: capsule.installConfigId,
      sourceSnapshotId: snapshotOf(capsuleId),
      reason: 'The migration is corrected.',
      expected: { authorityGuard: authorityGuard ?? installConfigReAdoption.authorityGuard },
    },
  });
}
const refusal = (reason: string) =>
  expect.objectContaining({ status: 409, details: expect.objectContaining({ reason }) });
const errorOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};
const conflict = refusal('capsule_install_config_rebind_conflict');
const unsafe = refusal('capsule_runtime_unsafe');

describe('a Capsule whose action after an apply failed', () => {
  it('is re-adopted, and a plan and an apply return it to active and safe', async () => {
    const { capsuleId, applyRunId, capsule, applied, end, read } = await openFailed();
    const before = capsule(capsuleId);
    expect(before).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
    const { installConfigReAdoption } = reAdopt(capsuleId, { key: 'once' });
    expect(capsule(capsuleId)).toMatchObject({
      status: 'error',
      runtimeSafety: 'unknown',
      currentStateVersionId: before.currentStateVersionId,
      currentStateGeneration: before.currentStateGeneration,
      executionAuthorityEpoch: before.executionAuthorityEpoch + 1,
      installConfigId: installConfigReAdoption.targetInstallConfigId,
    });
    const { receipt } = fixture.domains.configs.findProvenance(installConfigReAdoption.targetInstallConfigId) ?? {};
    expect(receipt?.recoveryProof).toEqual({
      contract: 'svc.capsule-recovery-proof/v1',
      applyRunId,
      applyRunDigest: expect.stringMatching(/^sha256:/),
      stateVersionId: before.currentStateVersionId,
      stateVersionDigest: expect.stringMatching(/^sha256:/),
      outputId: expect.stringMatching(/^out/),
      outputDigest: expect.stringMatching(/^sha256:/),
      generation: 1,
      evidenceDigest: expect.stringMatching(/^sha256:/),
    });
    const next = await applied(capsuleId);
    await end(next, 0);
    expect([read(next).status, capsule(capsuleId)]).toMatchObject([
      'succeeded',
      { status: 'active', runtimeSafety: 'safe' },
    ]);
    expect(reAdopt(capsuleId).installConfigReAdoption.replayed).toBe(false);
  });
});

type Alteration = [string, string];
const setIn = (table: string, key: string, columns: Record<string, string>): Alteration[] =>
  Object.entries(columns).map(([column, value]) => [
    `${column} of ${table}`,
    `UPDATE ${table} SET ${column} = ${value} WHERE ${key}`,
  ]);
const text = "'altered'";
/** Changes of the rows that a proof is over. */
const alterations: Alteration[] = [
  ...setIn('runs', "type = 'apply'", {
    workspace_id: text,
    created_by: text,
    created_at: '1',
    started_at: '1',
    finished_at: '1',
    attempts: '9',
    capsule_name: text,
    source_id: text,
    plan_digest: text,
    execution_authority_epoch: '9',
    base_state_generation: '9',
    facts: `json_set(facts, '$.resolvedCommit', ${text})`,
    detail: `json_set(detail, '$.planResources', json('[]'))`,
    input: `json_set(input, '$.reportId', ${text})`,
    error_code: "'apply_failed'",
    status: "'cancelled'",
    journal_offset: '1',
  }),
  ...setIn('state_versions', '1', {
    environment: text,
    source_snapshot_id: text,
    resource_count: '9',
    partial: '1',
    lineage: text,
    serial: '9',
    tool_name: "'terraform'",
    state_digest: text,
    state: "x'00'",
    created_at: '1',
    created_by_run_id: text,
  }),
  ...setIn('outputs', '1', {
    workspace_id: text,
    state_generation: '9',
    public_outputs: "'{}'",
    workspace_outputs: "'{}'",
    output_digest: text,
    created_at: '1',
  }),
  ...setIn('lifecycle_actions', '1', { action_id: text, phase: "'pre_destroy'", result: "'skipped'" }),
  ...setIn('capsules', '1', {
    current_state_generation: '2',
    current_state_version_id: text,
    execution_authority_epoch: '9',
    status: "'stale'",
  }),
  ['no row of the Output', 'DELETE FROM outputs'],
  ['no result of the action', 'DELETE FROM lifecycle_actions'],
];

describe('a proof that does not hold any more', () => {
  it.for(alterations)('because of %s is 409, and nothing moves', async ([, statement]) => {
    const { capsuleId } = await openFailed();
    const { authorityGuard } = guardOf(capsuleId).installConfigReAdoption;
    fixture.db.sqlite.pragma('foreign_keys = OFF');
    fixture.db.sqlite.exec(statement);
    const row = () => fixture.db.sqlite.prepare('SELECT * FROM capsules WHERE id = ?').get(capsuleId);
    const before = row();
    expect(errorOf(() => reAdopt(capsuleId, { authorityGuard }))).toEqual(conflict);
    expect(row()).toEqual(before);
  });
});

describe('a Capsule with another reason to be unsafe', () => {
  it.for<Alteration>([
    ['a partial state', 'UPDATE state_versions SET partial = 1'],
    ['another error', "UPDATE runs SET error_code = 'apply_interrupted' WHERE type = 'apply'"],
    ['a Run that was cancelled', "UPDATE runs SET status = 'cancelled' WHERE type = 'apply'"],
    ['a destroy', "UPDATE runs SET type = 'destroy_apply' WHERE type = 'apply'"],
    ['a restore', "UPDATE runs SET type = 'restore' WHERE type = 'apply'"],
    ['a state of another Run', 'UPDATE state_versions SET created_by_run_id = id'],
    ['a current state that is not the one of the apply', "UPDATE capsules SET current_state_version_id = 'other'"],
    ['no Output', 'DELETE FROM outputs'],
  ])('is refused after %s', async ([, statement]) => {
    const { capsuleId } = await openFailed();
    fixture.db.sqlite.pragma('foreign_keys = OFF');
    fixture.db.sqlite.exec(statement);
    expect(errorOf(() => reAdopt(capsuleId))).toEqual(unsafe);
  });

  it('is refused after a newer apply that failed in the tool, or a destroy whose action ran', async () => {
    const { capsuleId, planned, apply, endTool, destroying, end, read } = await openFailed();
    const id = await apply((await planned(capsuleId)).id);
    await endTool(id, false);
    expect(read(id).status).toBe('failed');
    expect(errorOf(() => reAdopt(capsuleId))).toEqual(unsafe);
    const destroy = await destroying(capsuleId);
    await end(destroy, 1, 1);
    expect(read(destroy).status).toBe('failed');
    expect(errorOf(() => reAdopt(capsuleId))).toEqual(unsafe);
  });

  it('is refused while a Run is queued or running, and a configuration plan always', async () => {
    const { capsuleId, planned, apply } = await openFailed();
    const { configuration } = { configuration: fixture.domains.configurations.read(capsuleId) };
    expect(configuration.change.refusal).toMatchObject({ code: 'capsule_runtime_unsafe' });
    const { authorityGuard } = guardOf(capsuleId).installConfigReAdoption;
    await apply((await planned(capsuleId)).id);
    expect(errorOf(() => reAdopt(capsuleId))).toEqual(refusal('capsule_install_config_rebind_busy'));
    expect(errorOf(() => reAdopt(capsuleId, { authorityGuard }))).toEqual(
      refusal('capsule_install_config_rebind_busy'),
    );
  });
});
