import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import { digestOf } from '#server/kernel/digest';
import type { PlanDocument, PlanResource } from '#shared/plans/document';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { holdCapsule, seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { capsuleRunInput } from '../../../test/run-input.ts';

let server: TestServer;
const clock = heldClock(Date.now());
const toolDir = tempDir();
beforeAll(async () => {
  server = await startTestServer({ clock, env: { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) } });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(toolDir, { recursive: true });
});

const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, details?.reason ?? code];
};
const requestReview = (verb: 'approve' | 'apply', runId: string, body: object = {}) =>
  server.request('POST', `/api/v1/runs/${runId}/${verb}`, body);
const setCapsule = (id: string, change: string) =>
  server.ledger((db) => db.sqlite.prepare(`UPDATE capsules SET ${change} WHERE id = ?`).run(id));
const setPolicy = (policy: object | null) =>
  server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET policy = ?').run(policy && JSON.stringify(policy)));
const auditOf = async (runId: string) =>
  (await server.api.getRunEvents({ params: { runId } })).body.auditEvents.map(({ type }) => type);

/** Creates a Capsule whose queued Runs stay queued, so that a test sees them as they were created. */
async function heldCapsule(more: Partial<CapsuleRow> = {}): Promise<CapsuleRow> {
  const capsule = await seedCapsule(server, more);
  holdCapsule(server, capsule.id);
  return capsule;
}

describe('approve', () => {
  const waiting = (capsule: CapsuleRow, more = {}) =>
    seedPlan(server, capsule, { moves: ['claim', 'requestApproval'], ...more });

  test('resumes a waiting plan, records person and reason, and repeats its answer', async () => {
    const plan = waiting(await heldCapsule());
    const answer = await requestReview('approve', plan.id, { reason: 'looked at it' });
    expect([answer.status, answer.json]).toMatchObject([
      200,
      {
        run: {
          status: 'succeeded',
          awaits: 'apply',
          approval: { by: server.subject, at: expect.any(String), reason: 'looked at it' },
        },
      },
    ]);
    expect((await requestReview('approve', plan.id)).json).toEqual(answer.json);
    expect(await auditOf(plan.id)).toEqual(['plan.approved']);
  });

  test('is refused, in this order, for a Run that does not wait, is too old or was superseded', async () => {
    const capsule = await heldCapsule();
    const past = { planExpiresAt: clock.now() };
    const gone = { supersededAt: 1, supersededReason: 'state_generation' as const };
    const refused: [{ id: string }, string][] = [
      [seedPlan(server, capsule), 'nothing_to_approve'],
      [seedRun(server, { capsuleId: capsule.id }), 'nothing_to_approve'],
      [seedRun(server, { type: 'source_sync', moves: ['claim', 'finish'] }), 'nothing_to_approve'],
      [waiting(capsule, { set: { ...past, ...gone } }), 'plan_expired'],
      [waiting(capsule, { set: gone }), 'plan_superseded'],
      [waiting(capsule, { executionAuthorityEpoch: 7 }), 'plan_superseded'],
      [waiting(capsule, { baseStateGeneration: 7 }), 'plan_superseded'],
    ];
    for (const [run, reason] of refused)
      expect(statusAndCode(await requestReview('approve', run.id))).toEqual([409, reason]);
  });

  test('by the author is refused where a policy requires a second person', async () => {
    const admin = await server.join('admin');
    const plan = waiting(await heldCapsule());
    setPolicy({ approval: { requireSecondPerson: true } });
    expect(statusAndCode(await requestReview('approve', plan.id))).toEqual([409, 'second_person_required']);
    const { run } = (await admin.api.approveRun({ params: { runId: plan.id }, body: {} })).body;
    expect(run.approval?.by).toBe(admin.subject);
    setPolicy(null);
  });

  test('with a reason that is too long, unreadable or a credential is refused', async () => {
    const plan = waiting(await heldCapsule());
    for (const reason of ['', 'x'.repeat(257), 'é'.repeat(129), 'a\nb'])
      expect([reason, ...statusAndCode(await requestReview('approve', plan.id, { reason }))]).toEqual([
        reason,
        400,
        'invalid_request',
      ]);
    expect(statusAndCode(await requestReview('approve', plan.id, { reason: 'password=hunter22' }))).toEqual([
      400,
      'secret_like_value',
    ]);
    expect((await requestReview('approve', plan.id, { reason: 'é'.repeat(128) })).status).toBe(200);
  });

  test('and apply are refused for members', async () => {
    const member = await server.join('member');
    const plan = seedPlan(server, await heldCapsule(), { createdBy: member.subject });
    const runId = { params: { runId: plan.id }, body: {} };
    await expect(member.api.approveRun(runId)).rejects.toMatchObject({ status: 403 });
    await expect(member.api.applyRun(runId)).rejects.toMatchObject({ status: 403 });
  });
});

describe('apply', () => {
  test('queues exactly the reviewed plan, once: later calls return the same Run', async () => {
    const capsule = await heldCapsule();
    const plan = seedPlan(server, capsule);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 10 }, () => requestReview('apply', plan.id, { planDigest: digestOf('plan') })),
    );
    const answers = [first, ...others].map((answer) => answer as RawAnswer);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    const runs = answers.map(({ json }) => (json as { run: { id: string } }).run);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(runs[0]).toMatchObject({
      id: expect.stringMatching(/^apply_[0-9A-Z]{26}$/),
      type: 'apply',
      status: 'queued',
      planRunId: plan.id,
      planDigest: digestOf('plan'),
      capsuleId: capsule.id,
    });
    const { run } = (await server.api.getRun({ params: { runId: plan.id } })).body;
    expect([run.applyRunId, run.awaits]).toEqual([runs[0]?.id, undefined]);
    expect((await auditOf(runs[0]?.id ?? '')).slice(0, 2)).toEqual(['apply.queued', 'apply.idempotent_replay']);
    const { events } = (
      await server.api.listActivity({ params: { workspaceId: server.workspaceId }, query: { limit: '100' } })
    ).body;
    expect(events.filter(({ action }) => action === 'run.idempotent_replay')).toHaveLength(9);
  });

  test('waits for nothing that its plan waited for, and ignores a late cancellation of its plan', async () => {
    const capsule = await heldCapsule();
    const { installConfigId } = capsule;
    const input = { installConfigId, waitsFor: ['plan_producer'], cancelledBy: server.subject };
    const answer = await requestReview('apply', seedPlan(server, capsule, { input }).id);
    const { run } = answer.json as { run: { id: string } };
    const stored = server.ledger((db) => db.sqlite.prepare('SELECT input FROM runs WHERE id = ?').get(run.id));
    const { input: text } = stored as { input: string };
    expect(Object.keys(JSON.parse(text)).sort()).toEqual(Object.keys(capsuleRunInput()).sort());
  });

  test('of a destroy plan is a destroy', async () => {
    const plan = seedPlan(server, await heldCapsule(), { type: 'destroy_plan' });
    expect((await requestReview('apply', plan.id)).json).toMatchObject({ run: { type: 'destroy_apply' } });
  });

  test('is refused with the first failed check, in this order', async () => {
    const capsule = await heldCapsule();
    const other = { planDigest: digestOf('another') };
    /** Every check fails at first; each entry repairs the cause of the previous refusal. */
    const wrong = {
      type: 'drift_check' as const,
      moves: ['claim', 'requestApproval'] as const,
      facts: { policyStatus: 'deny' as const },
      seal: null as null | { toolVersion: string },
      set: { planExpiresAt: clock.now() },
      executionAuthorityEpoch: 7,
      baseStateGeneration: 7,
    };
    setCapsule(capsule.id, "status = 'disabled'");
    const repairs: [string, Partial<Record<keyof typeof wrong, unknown>>, object][] = [
      ['run_not_appliable', {}, other],
      ['plan_not_succeeded', { type: 'plan', moves: ['claim', 'fail'] }, other],
      ['approval_required', { moves: ['claim', 'requestApproval'] }, other],
      ['policy_denied', { moves: ['claim', 'finish'] }, other],
      ['plan_artifact_missing', { facts: { policyStatus: 'pass' } }, other],
      ['plan_digest_mismatch', { seal: { toolVersion: '1.0.0' } }, other],
      ['plan_expired', {}, {}],
      ['plan_superseded', { set: {} }, {}],
      ['state_generation_mismatch', { executionAuthorityEpoch: 1 }, {}],
      ['tool_version_changed', { baseStateGeneration: 0 }, {}],
      ['capsule_disabled', { seal: {} }, {}],
    ];
    let state: object = wrong;
    for (const [reason, repair, body] of repairs) {
      state = { ...state, ...repair };
      const plan = seedPlan(server, capsule, state);
      expect([reason, ...statusAndCode(await requestReview('apply', plan.id, body))]).toEqual([reason, 409, reason]);
    }
    setCapsule(capsule.id, "status = 'destroyed'");
    expect(statusAndCode(await requestReview('apply', seedPlan(server, capsule, state).id))).toEqual([
      409,
      'capsule_destroyed',
    ]);
    setCapsule(capsule.id, "status = 'pending'");
    expect((await requestReview('apply', seedPlan(server, capsule, state).id)).status).toBe(201);
  });

  test('of a plan whose sealed file is missing, or of a Run of another type, is refused', async () => {
    const capsule = await heldCapsule();
    const lost = seedPlan(server, capsule, { file: false });
    expect(statusAndCode(await requestReview('apply', lost.id))).toEqual([409, 'plan_artifact_missing']);
    const sync = seedRun(server, { type: 'source_sync', moves: ['claim', 'finish'] });
    expect(statusAndCode(await requestReview('apply', sync.id))).toEqual([409, 'run_not_appliable']);
    const moved = seedPlan(server, capsule, { baseStateGeneration: 3 });
    const answer = await requestReview('apply', moved.id);
    expect((answer.json as { error: { message: string } }).error.message).toMatch(/^state_generation_mismatch: /);
  });

  test('requires a valid plan digest', async () => {
    const plan = seedPlan(server, await heldCapsule());
    expect(statusAndCode(await requestReview('apply', plan.id, { planDigest: 'x' }))).toEqual([400, 'invalid_request']);
  });
});

describe('the plan of a Run', () => {
  const resource = (n: number): PlanResource => ({
    address: `terraform_data.r${n}`,
    type: 'terraform_data',
    name: `r${n}`,
    providerName: 'terraform.io/builtin/terraform',
    mode: 'managed',
    actions: ['create'],
    before: null,
    after: { input: n },
    afterUnknown: {},
    beforeSensitive: false,
    afterSensitive: {},
  });
  const planOf = (runId: string, query = '') => server.request('GET', `/api/v1/runs/${runId}/plan${query}`);

  test('is returned page by page, and its apply shows the same', async () => {
    const resources = Array.from({ length: 5 }, (_, n) => resource(n));
    const plan = seedPlan(server, await heldCapsule(), { document: { resources, resourceCount: 5 } });
    const read: string[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const query = { limit: '2', after: String(after) };
      const page: PlanDocument = (await server.api.getRunPlan({ params: { runId: plan.id }, query })).body.plan;
      read.push(...page.resources.map(({ address }) => address));
      after = page.nextAfter;
    }
    expect(read).toEqual(resources.map(({ address }) => address));
    const { run } = (await requestReview('apply', plan.id)).json as { run: { id: string } };
    expect((await planOf(run.id)).json).toEqual((await planOf(plan.id)).json);
  });

  test('of a Run that ended without one is not available, and the refusal links to its diagnostics', async () => {
    const capsule = await heldCapsule();
    for (const moves of [['claim', 'fail'], ['cancel']] as const) {
      const { id } = seedRun(server, { capsuleId: capsule.id, moves });
      const answer = await planOf(id);
      expect(answer.status).toBe(409);
      const diagnostics = `/api/v1/runs/${id}/logs`;
      expect(answer.json).toMatchObject({
        error: {
          message: expect.stringContaining(diagnostics),
          details: { diagnostics, reason: 'plan_not_available' },
        },
      });
      expect((await server.request('GET', diagnostics)).status).toBe(200);
    }
  });

  test('that is damaged is not available', async () => {
    const plan = seedPlan(server, await heldCapsule());
    server.ledger((db) => db.sqlite.exec(`UPDATE plan_artifacts SET document = x'00' WHERE run_id = '${plan.id}'`));
    expect(statusAndCode(await planOf(plan.id))).toEqual([409, 'plan_not_available']);
  });

  test('is not available before it is computed, and never for other types', async () => {
    const capsule = await heldCapsule();
    expect(statusAndCode(await planOf(seedRun(server, { capsuleId: capsule.id }).id))).toEqual([409, 'plan_not_ready']);
    expect(statusAndCode(await planOf(seedRun(server, { type: 'source_sync' }).id))).toEqual([404, 'not_found']);
    for (const query of ['?after=-1', '?after=x', '?limit=0'])
      expect(statusAndCode(await planOf(seedPlan(server, capsule).id, query))).toEqual([400, 'invalid_request']);
  });
});

describe('discarding a Capsule', () => {
  const discard = (id: string) => server.request('DELETE', `/api/v1/capsules/${id}`);

  test('that was never applied ends it and its plans, releases its name, and can be repeated', async () => {
    const capsule = await seedCapsule(server);
    const plan = seedPlan(server, capsule);
    const answer = await discard(capsule.id);
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { abandoned: true, capsule: { id: capsule.id, status: 'destroyed' } },
    ]);
    expect((await discard(capsule.id)).json).toMatchObject({ alreadyDeleted: true, capsule: { status: 'destroyed' } });
    const { run } = (await server.api.getRun({ params: { runId: plan.id } })).body;
    expect(run.superseded).toMatchObject({ reason: 'authority_epoch' });
    expect(statusAndCode(await requestReview('apply', plan.id))).toEqual([409, 'plan_superseded']);
    await seedCapsule(server, { name: capsule.name });
    const listed = async (includeDestroyed: '0' | '1') => {
      const query = { includeDestroyed };
      const { body } = await server.api.listCapsules({ params: { workspaceId: server.workspaceId }, query });
      return body.capsules.map(({ id }) => id);
    };
    expect(await listed('0')).not.toContain(capsule.id);
    expect(await listed('1')).toContain(capsule.id);
  });

  test('with work in progress, or with resources, is refused', async () => {
    expect(statusAndCode(await discard((await heldCapsule()).id))).toEqual([409, 'run_in_progress']);
    const failed = await seedCapsule(server, { status: 'error' });
    expect(statusAndCode(await discard(failed.id))).toEqual([409, 'capsule_owned_resources_pending']);
    const active = await seedCapsule(server, { status: 'active', currentStateVersionId: 'state_x' });
    expect(statusAndCode(await discard(active.id))).toEqual([409, 'source_sync_required']);
  });
});

describe('planning a Capsule again', () => {
  const plan = (id: string, body: object = {}) => server.request('POST', `/api/v1/capsules/${id}/plan`, body);

  test('is refused without a snapshot, for a destroyed or disabled Capsule, and behind a full queue', async () => {
    const capsule = await heldCapsule();
    expect(statusAndCode(await plan(capsule.id))).toEqual([409, 'source_sync_required']);
    expect(statusAndCode(await plan(capsule.id, { compatibilityReportId: `caprep_${'0'.repeat(26)}` }))).toEqual([
      404,
      'not_found',
    ]);
    expect(statusAndCode(await plan(capsule.id, { runnerId: 'remote' }))).toEqual([400, 'invalid_request']);
    for (let n = 0; n < 20; n += 1) seedRun(server, { capsuleId: capsule.id });
    expect(statusAndCode(await plan(capsule.id))).toEqual([409, 'run_queue_full']);
    const states = [
      ['destroyed', 'capsule_destroyed'],
      ['disabled', 'capsule_disabled'],
    ] as const;
    for (const [status, reason] of states)
      expect(statusAndCode(await plan((await seedCapsule(server, { status })).id))).toEqual([409, reason]);
  });
});

test('without a tool no Run that needs one is started', async () => {
  const bare = await startTestServer();
  const capsule = await seedCapsule(bare);
  const plan = seedPlan(bare, capsule);
  for (const path of [`runs/${plan.id}/apply`, `capsules/${capsule.id}/plan`])
    expect(statusAndCode(await bare.request('POST', `/api/v1/${path}`, {}))).toEqual([503, 'runner_unavailable']);
  const { runner, features } = (await bare.api.getCapabilities({})).body;
  expect([runner.available, runner.toolName, features.opentofu_runner]).toEqual([false, null, false]);
  expect(runner.unavailableReason).toMatch(/ Only Runs in the pool `local` need it/);
  await bare.close();
});
