import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigurationPlanAnswer } from '#shared/configuration-plans/api';
import type { Json } from '#shared/kernel/json';
import { filesHolding } from '../../../test/data-files.ts';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { holdCapsule, resealConfig, seedCapsule, seedPlan, seedRun, seedState } from '../../../test/ledger-rows.ts';

const module = `variable "title" { type = string }
variable "seats" {
  type    = number
  default = 2
}
variable "pin" {
  type      = string
  default   = ""
  sensitive = true
}
variable "note" {
  type    = string
  default = ""
}
`;
let server: TestServer;
let git: GitHost;
const toolDir = tempDir();
beforeAll(async () => {
  // Reports its version and cannot plan, so that every plan fails and the Capsule is unchanged.
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  git.repository('shop', { 'main.tf': module });
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

let count = 0;
const secrets = { note: 'Tr0ub4dor-canary-41', pin: 'Correct-horse-canary-42' };
/** Creates a Capsule whose first plan has failed. */
async function install(more: object = {}): Promise<string> {
  count += 1;
  const body = {
    source: { name: 'Modules', url: git.url('shop'), ref: 'main', path: '.' },
    capsule: { name: `Shop ${count}`, environment: 'test' },
    variables: { title: 'Books', note: secrets.note },
    secretVariables: ['note'],
    ...more,
  };
  const params = { workspaceId: server.workspaceId };
  const created = await server.api.createInstallPlan({ params, body }, { 'idempotency-key': `install ${count}` });
  const plan = { params: { installPlanId: created.body.installPlan.id } };
  for (;;) {
    const { installPlan } = (await server.api.reconcileInstallPlan(plan)).body;
    if (installPlan.phase === 'failed') return installPlan.capsuleId ?? '';
  }
}
const guardOf = async (capsuleId: string) =>
  (await server.api.getCapsule({ params: { capsuleId } })).body.installConfigReAdoption.authorityGuard;
const capsuleOf = async (capsuleId: string) => (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;
const valuesOf = async (capsuleConfigId: string) =>
  (await server.api.getInstallConfig({ params: { capsuleConfigId } })).body.installConfig.variableMapping;
const bodyOf = (authorityGuard: string, set: { [name: string]: Json } = {}, remove: string[] = []) => ({
  variablePatch: { set, remove },
  providerBindings: [],
  interfaceBlueprints: [],
  expected: { authorityGuard },
});
const freshKey = () => {
  count += 1;
  return `key ${count}`;
};
const post = (capsuleId: string, body: unknown, key = freshKey()) =>
  server.request('POST', `/api/v1/capsules/${capsuleId}/configuration-plans`, body, { 'idempotency-key': key });
const answerOf = ({ json }: RawAnswer) => json as ConfigurationPlanAnswer;
const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } = (json as { error?: { code: string; details?: { reason?: string } } }).error ?? {};
  return [status, code, details?.reason];
};
const precondition = (reason: string) => [409, 'failed_precondition', reason];
/** Changes variables and waits for the plan to end. */
async function configure(capsuleId: string, set: { [name: string]: Json }, remove: string[] = []) {
  const answer = await post(capsuleId, bodyOf(await guardOf(capsuleId), set, remove));
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  await server.ended(answerOf(answer).configurationPlan.planRunId);
  return answerOf(answer);
}
const change = (statement: string, ...values: unknown[]) =>
  server.ledger((db) => db.sqlite.prepare(statement).run(...values));

describe('a change of variables', () => {
  test('seals a successor, moves the Capsule to it and creates a plan of exactly that', async () => {
    const capsuleId = await install();
    const before = await capsuleOf(capsuleId);
    const open = seedPlan(server, { ...before, currentStateVersionId: null } as never);
    const answer = await post(capsuleId, bodyOf(await guardOf(capsuleId), { title: 'Films', seats: 3 }));
    const { capsule, configurationPlan, links } = answerOf(answer);
    expect(answer.status).toBe(201);
    expect(configurationPlan).toEqual({
      replayed: false,
      previousInstallConfigId: before.installConfigId,
      targetInstallConfigId: expect.stringMatching(/^icfg_[0-9a-f]{16}$/),
      sourceSnapshotId: expect.stringMatching(/^snap_/),
      planRunId: expect.stringMatching(/^plan_[0-9a-f]{16}$/),
    });
    const { targetInstallConfigId, planRunId, sourceSnapshotId } = configurationPlan;
    expect(links).toEqual({ run: `/api/v1/runs/${planRunId}` });
    expect(capsule).toMatchObject({ status: 'pending', installConfigId: targetInstallConfigId });
    expect(capsule.executionAuthorityEpoch).toBe(before.executionAuthorityEpoch + 1);
    const { run } = (await server.api.getRun({ params: { runId: planRunId } })).body;
    expect(run).toMatchObject({ type: 'plan', capsuleId, sourceSnapshotId, executionAuthorityEpoch: 2 });
    const overtaken = (await server.api.getRun({ params: { runId: open.id } })).body.run;
    expect(overtaken.superseded).toMatchObject({ reason: 'authority_epoch' });
    expect(await valuesOf(targetInstallConfigId)).toEqual({ title: 'Films', seats: 3, note: '[REDACTED]' });
    expect(await valuesOf(before.installConfigId)).toEqual({ title: 'Books', note: '[REDACTED]' });
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.find(({ action }) => action === 'capsule.configuration_planned')).toMatchObject({
      actorId: server.subject,
      targetId: capsuleId,
      runId: planRunId,
      metadata: { targetInstallConfigId, previousInstallConfigId: before.installConfigId },
    });
    await server.ended(planRunId);
  });

  test('keeps secrets sealed: when kept, when set, and when removed and set again', async () => {
    const capsuleId = await install();
    const one = await configure(capsuleId, { pin: secrets.pin });
    const first = await valuesOf(one.configurationPlan.targetInstallConfigId);
    expect(first).toEqual({ title: 'Books', note: '[REDACTED]', pin: '[REDACTED]' });
    const two = await configure(capsuleId, {}, ['note']);
    expect(await valuesOf(two.configurationPlan.targetInstallConfigId)).toEqual({ title: 'Books', pin: '[REDACTED]' });
    const three = await configure(capsuleId, { note: secrets.note });
    expect(await valuesOf(three.configurationPlan.targetInstallConfigId)).toEqual(first);
    expect(filesHolding(server.dataDir, ...Object.values(secrets))).toEqual([]);
  });

  test('uses the snapshot of the Capsule, whatever the repository contains now', async () => {
    const capsuleId = await install();
    const { sourceId } = await capsuleOf(capsuleId);
    const repository = git.repository(`moved ${count}`, { 'main.tf': module });
    repository.commit({ 'main.tf': `${module}variable "fresh" {\n  type = string\n}\n` });
    change('UPDATE sources SET url = ? WHERE id = ?', git.url(`moved ${count}`), sourceId);
    await server.ended((await server.api.syncSource({ params: { sourceId }, body: {} })).body.run.id);
    await server.api.checkCompatibility({ params: { sourceId }, body: {} });
    const refused = await post(capsuleId, bodyOf(await guardOf(capsuleId), { fresh: 'a' }));
    expect(statusAndCode(refused)[2]).toBe('capsule_configuration_generic_variable_invalid');
    const { configurationPlan } = await configure(capsuleId, { title: 'Films' });
    const { run } = (await server.api.getRun({ params: { runId: configurationPlan.planRunId } })).body;
    expect(run.sourceSnapshotId).toBe(configurationPlan.sourceSnapshotId);
    change('UPDATE sources SET url = ? WHERE id = ?', git.url('shop'), sourceId);
  });
});

describe('the same key', () => {
  test('with the same request creates nothing twice, and returns the current record', async () => {
    const capsuleId = await install();
    const body = bodyOf(await guardOf(capsuleId), { title: 'Films' }, ['seats', 'pin']);
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(capsuleId, body, `same ${capsuleId}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    const [first, ...others] = answers.sort((a, b) => b.status - a.status).map(answerOf);
    for (const other of others)
      expect(other.configurationPlan).toEqual({ ...first?.configurationPlan, replayed: true });
    await server.ended(first?.configurationPlan.planRunId ?? '');
    const later = await configure(capsuleId, { title: 'Games' });
    const reordered = { ...body, variablePatch: { set: { title: 'Films' }, remove: ['pin', 'seats'] } };
    const again = await post(capsuleId, reordered, ` same ${capsuleId} `);
    expect([again.status, answerOf(again).configurationPlan]).toEqual([
      200,
      { ...first?.configurationPlan, replayed: true },
    ]);
    expect(answerOf(again).capsule.installConfigId).toBe(later.configurationPlan.targetInstallConfigId);
  });

  test('with another request is refused, also for another guard, and is available to another person', async () => {
    const capsuleId = await install();
    const { token } = await server.join('admin');
    const body = bodyOf(await guardOf(capsuleId), { title: 'Films' });
    await server.ended(answerOf(await post(capsuleId, body, 'used')).configurationPlan.planRunId);
    const guard = await guardOf(capsuleId);
    for (const other of [bodyOf(guard, { title: 'Films' }), { ...body, variablePatch: { set: {}, remove: [] } }])
      expect(statusAndCode(await post(capsuleId, other, 'used')).slice(0, 2)).toEqual([409, 'idempotency_conflict']);
    const asOther = await server.request(
      'POST',
      `/api/v1/capsules/${capsuleId}/configuration-plans`,
      bodyOf(guard, { title: 'Other' }),
      { 'idempotency-key': 'used', authorization: `Bearer ${token}` },
    );
    expect(asOther.status).toBe(201);
    await server.ended(answerOf(asOther).configurationPlan.planRunId);
  });

  test('is found where a record of another origin has its id', async () => {
    const capsuleId = await install();
    const { configurationPlan } = await configure(capsuleId, { title: 'Films' });
    const key = `key ${count}`;
    change(
      "UPDATE install_configs SET provenance = json_remove(provenance, '$.receipt') WHERE id = ?",
      configurationPlan.targetInstallConfigId,
    );
    const answer = await post(capsuleId, bodyOf(await guardOf(capsuleId)), key);
    expect(statusAndCode(answer)).toEqual(precondition('capsule_configuration_identity_conflict'));
  });

  test('is required, and roles that may only propose are not sufficient', async () => {
    const capsuleId = await install();
    const body = bodyOf(await guardOf(capsuleId));
    const at = `/api/v1/capsules/${capsuleId}/configuration-plans`;
    expect(statusAndCode(await server.request('POST', at, body)).slice(0, 2)).toEqual([
      400,
      'idempotency_key_required',
    ]);
    const { token } = await server.join('member');
    const headers = { 'idempotency-key': 'k', authorization: `Bearer ${token}` };
    expect(statusAndCode(await server.request('POST', at, body, headers)).slice(0, 2)).toEqual([403, 'forbidden']);
  });
});

describe('a change is refused', () => {
  let capsuleId: string;
  let guard: string;
  beforeAll(async () => {
    capsuleId = await install();
    guard = await guardOf(capsuleId);
  });
  const untouched = async () =>
    expect([(await capsuleOf(capsuleId)).executionAuthorityEpoch, await guardOf(capsuleId)]).toEqual([1, guard]);

  test('when the body has unknown members, repeats a name or is too large', async () => {
    const good = bodyOf(guard, { title: 'Films' });
    const big = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`v${n}`, 'x'.repeat(30_000)]));
    const { expected: _, ...unguarded } = good;
    const refused: [unknown, string][] = [
      [unguarded, '/expected'],
      [{ ...good, more: 1 }, '/more'],
      [{ ...good, expected: { authorityGuard: 'sha256:x' } }, '/expected/authorityGuard'],
      [bodyOf(guard, { title: 'a' }, ['title']), '/variablePatch/remove/0'],
      [bodyOf(guard, {}, ['seats', 'pin', 'seats']), '/variablePatch/remove/2'],
      [bodyOf(guard, { 'no name': 1 }), '/variablePatch/set/no name'],
      [bodyOf(guard, { title: 'x'.repeat(40_000) }), '/variablePatch/set/title'],
      [bodyOf(guard, big), '/variablePatch'],
      [
        bodyOf(
          guard,
          {},
          Array.from({ length: 257 }, (_, n) => `v${n}`),
        ),
        '/variablePatch',
      ],
      [{ ...good, providerBindings: Array(65).fill({}) }, '/providerBindings'],
    ];
    for (const [body, field] of refused)
      expect(await post(capsuleId, body)).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_request', details: { field } } },
      });
    const padded = { ...good, variablePatch: { set: { title: ' '.repeat(524_288) }, remove: [] } };
    expect(statusAndCode(await post(capsuleId, padded)).slice(0, 2)).toEqual([413, 'request_too_large']);
    await untouched();
  });

  test('when the values do not fit the module', async () => {
    const refused: [{ [name: string]: Json }, string[], string][] = [
      [{ other: 1 }, [], 'capsule_configuration_generic_variable_invalid'],
      [{ pin: '[REDACTED]' }, [], 'capsule_configuration_redacted_value_reserved'],
      [{}, ['title'], 'capsule_configuration_required_value_missing'],
      [{ seats: 'many' }, [], 'capsule_configuration_value_type_mismatch'],
      [{ title: `ghp_${'a1'.repeat(18)}` }, [], 'secret_like_value'],
    ];
    for (const [set, remove, reason] of refused)
      expect(statusAndCode(await post(capsuleId, bodyOf(guard, set, remove)))).toEqual([
        400,
        'invalid_argument',
        reason,
      ]);
    await untouched();
  });

  test('when a kept value became invalid', async () => {
    const { installConfigId } = await capsuleOf(capsuleId);
    const columns = 'variable_mapping, secrets, digest';
    const before = server.ledger((db) =>
      db.sqlite.prepare(`SELECT ${columns} FROM install_configs WHERE id = ?`).raw().get(installConfigId),
    ) as unknown[];
    const gone = "json_set(variable_mapping, '$.gone', 1)";
    change(`UPDATE install_configs SET secrets = NULL, variable_mapping = ${gone} WHERE id = ?`, installConfigId);
    resealConfig(server, installConfigId);
    const reason = 'capsule_configuration_current_value_invalid';
    expect(statusAndCode(await post(capsuleId, bodyOf(await guardOf(capsuleId))))).toEqual([
      400,
      'invalid_argument',
      reason,
    ]);
    change(`UPDATE install_configs SET (${columns}) = (?, ?, ?) WHERE id = ?`, ...before, installConfigId);
    await untouched();
  });

  test('when the Capsule has changed since it was read', async () => {
    const stale = `sha256:${'0'.repeat(64)}`;
    const answer = await post(capsuleId, bodyOf(stale));
    expect(statusAndCode(answer)).toEqual(precondition('capsule_install_config_rebind_conflict'));
  });

  test('while a Run or update is in progress, and when the Capsule is disabled or destroyed', async () => {
    const busy = precondition('capsule_install_config_rebind_busy');
    const held = await install();
    const run = holdCapsule(server, held);
    expect(statusAndCode(await post(held, bodyOf(await guardOf(held))))).toEqual(busy);
    change("UPDATE runs SET status = 'failed' WHERE id = ?", run.id);
    // Of a type that no handler executes, because the queue may check at any time.
    const queued = seedRun(server, { capsuleId: held, type: 'restore' });
    change("UPDATE runs SET status = 'queued' WHERE id = ?", queued.id);
    expect(statusAndCode(await post(held, bodyOf(await guardOf(held))))).toEqual(busy);
    change("UPDATE runs SET status = 'failed' WHERE id = ?", queued.id);
    for (const status of ['disabled', 'destroyed']) {
      change('UPDATE capsules SET status = ? WHERE id = ?', status, held);
      expect(statusAndCode(await post(held, bodyOf(await guardOf(held))))).toEqual(busy);
    }
  });

  test('when the last apply left something uncertain', async () => {
    change("UPDATE capsules SET runtime_safety = 'unknown' WHERE id = ?", capsuleId);
    expect(statusAndCode(await post(capsuleId, bodyOf(guard)))).toEqual(precondition('capsule_runtime_unsafe'));
    change('UPDATE capsules SET runtime_safety = NULL WHERE id = ?', capsuleId);
  });

  test('when the declarations are missing or were altered', async () => {
    const { compatibilityReportId = '' } = await capsuleOf(capsuleId);
    const original = server.ledger((db) =>
      db.sqlite.prepare('SELECT report FROM compatibility_reports WHERE id = ?').pluck().get(compatibilityReportId),
    );
    const tries: [string, string][] = [
      ["json_set(report, '$.level', 'unsupported')", 'capsule_configuration_compatibility_not_runnable'],
      ["json_remove(report, '$.rootModuleVariableDeclarations')", 'capsule_configuration_generic_declarations_invalid'],
      [
        "json_set(report, '$.rootModuleVariableDeclarations[0].hasDefault', json('false'), '$.rootModuleVariableDeclarations[0].name', 'x')",
        'capsule_configuration_generic_digest_mismatch',
      ],
    ];
    // Every Capsule here shares the snapshot, so its newest report is the one that counts.
    const newest = (text: string, ...values: unknown[]) =>
      change(
        `UPDATE compatibility_reports SET report = ${text} WHERE seq = (SELECT max(seq) FROM compatibility_reports WHERE snapshot_id = (SELECT snapshot_id FROM compatibility_reports WHERE id = ?))`,
        ...values,
        compatibilityReportId,
      );
    for (const [text, reason] of tries) {
      newest(text);
      expect(statusAndCode(await post(capsuleId, bodyOf(guard)))).toEqual(precondition(reason));
      newest('?', original);
    }
    const foreign = await seedCapsule(server);
    expect(statusAndCode(await post(foreign.id, bodyOf(await guardOf(foreign.id))))).toEqual(
      precondition('capsule_configuration_generic_authority_invalid'),
    );
    await untouched();
  });

  test('in an archived Workspace', async () => {
    change('UPDATE workspaces SET archived_at = 1');
    expect(statusAndCode(await post(capsuleId, bodyOf(guard)))).toEqual(precondition('workspace_archived'));
    change('UPDATE workspaces SET archived_at = NULL');
    await untouched();
  });
});

test('a variable that a Dependency feeds counts as set', async () => {
  const producer = await seedCapsule(server);
  seedState(server, producer, { generation: 1, outputs: { name: 'Books' } });
  const outputs = { name: { from: 'name', to: 'title' } };
  const dependencies = [{ producerCapsuleId: producer.id, outputs }];
  const capsuleId = await install({ variables: {}, secretVariables: [], dependencies });
  const [dependency] = (await server.api.listDependencies({ params: { capsuleId } })).body.asConsumer;
  await server.api.deleteDependency({ params: { dependencyId: dependency?.id ?? '' } });
  const change = async () => post(capsuleId, bodyOf(await guardOf(capsuleId), { seats: 3 }));
  expect(statusAndCode(await change())).toEqual([
    400,
    'invalid_argument',
    'capsule_configuration_required_value_missing',
  ]);
  await server.api.createDependency({
    params: { capsuleId },
    body: { producerCapsuleId: producer.id, outputs: { name: { from: 'name', to: 'title', required: true } } },
  });
  expect((await change()).status).toBe(201);
});

test('without a tool nothing is started, and existing records are still returned', async () => {
  const capsuleId = await install();
  const body = bodyOf(await guardOf(capsuleId), { title: 'Films' });
  const plan = answerOf(await post(capsuleId, body, 'before')).configurationPlan;
  await server.ended(plan.planRunId);
  fs.rmSync(path.join(toolDir, 'tofu'));
  await server.restart();
  const replay = await post(capsuleId, body, 'before');
  expect([replay.status, answerOf(replay).configurationPlan]).toEqual([200, { ...plan, replayed: true }]);
  const fresh = await post(capsuleId, bodyOf(await guardOf(capsuleId)));
  expect(statusAndCode(fresh).slice(0, 2)).toEqual([503, 'runner_unavailable']);
  expect((await capsuleOf(capsuleId)).executionAuthorityEpoch).toBe(2);
});
