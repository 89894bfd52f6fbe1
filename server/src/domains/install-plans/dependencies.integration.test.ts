import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

let server: TestServer;
let git: GitHost;
/** Another Workspace of the same owner. */
let other: string;
let producer: CapsuleRow;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  git.repository('consumer', {
    'main.tf':
      'variable "address" { type = string }\nvariable "zone" {\n  type    = string\n  default = ""\n}\noutput "seen" { value = var.address }\n',
  });
  other = server.ledger((db) => addWorkspace(db, [server.subject]));
  producer = await seedCapsule(server);
  seedState(server, producer, { generation: 1, outputs: { url: 'http://one' } });
});
afterAll(() => Promise.all([server.close(), git.close()]));

let keys = 0;
const input = (more: object = {}) => ({
  producerCapsuleId: producer.id,
  outputs: { url: { from: 'url', to: 'address' } },
  ...more,
});
const bodyOf = (more: object = {}) => {
  keys += 1;
  return {
    source: { name: 'Modules', url: git.url('consumer'), ref: 'main', path: '.' },
    capsule: { name: `Capsule ${keys}`, environment: 'test' },
    dependencies: [input()],
    ...more,
  };
};
const create = (body: object, key = `key ${keys}`) =>
  server.request('POST', `/api/v1/workspaces/${server.workspaceId}/install-plans`, body, { 'idempotency-key': key });
const planIn = ({ json, text }: RawAnswer) => {
  const { installPlan } = json as { installPlan?: { id: string } };
  if (!installPlan) throw new Error(text);
  return installPlan;
};
const planOf = async (installPlanId: string) =>
  (await server.api.getInstallPlan({ params: { installPlanId } })).body.installPlan;
/** Reconciles until the plan Run is due, for which these tests have no tool, or until the installation has failed. */
async function advance(installPlanId: string, until: 'creating_capsule' | 'planning' = 'planning') {
  for (;;) {
    const plan = await planOf(installPlanId);
    if (plan.phase === until || plan.phase === 'failed') return plan;
    await server.api.reconcileInstallPlan({ params: { installPlanId } });
  }
}
const install = async (more: object = {}) => advance(planIn(await create(bodyOf(more))).id);
const consumed = async (capsuleId: string) =>
  (await server.api.listDependencies({ params: { capsuleId } })).body.asConsumer;
const refusalOf = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, details?.reason ?? code, details?.field];
};
/** Records of an installation that is refused or has failed. */
const counts = () =>
  server.ledger((db) =>
    ['install_plans', 'capsules', 'dependencies', 'install_configs'].map((table) =>
      db.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).pluck().get(),
    ),
  );
const setStatus = (id: string, status: string) =>
  server.ledger((db) => db.sqlite.prepare('UPDATE capsules SET status = ? WHERE id = ?').run(status, id));

describe('an installation with Dependencies', () => {
  test('creates them with the Capsule, before its first plan; the variable that one feeds counts as set', async () => {
    const { id } = planIn(await create(bodyOf()));
    await advance(id, 'creating_capsule');
    const before = counts();
    const { phase, capsuleId = '' } = await advance(id);
    expect(phase).toBe('planning');
    expect(counts()).toEqual(before.map((count, index) => Number(count) + (index === 0 ? 0 : 1)));
    const [dependency] = await consumed(capsuleId);
    expect(dependency).toMatchObject({
      producerCapsuleId: producer.id,
      mode: 'variable_injection',
      visibility: 'workspace',
      outputs: { url: { from: 'url', to: 'address', required: true } },
    });
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.find(({ targetId }) => targetId === dependency?.id)?.action).toBe('dependency.created');
  });

  test('does not show them in its own record', async () => {
    const answer = await create(bodyOf());
    const { id } = planIn(answer);
    const list = await server.api.listInstallPlans({ params: { workspaceId: server.workspaceId } });
    for (const text of [answer.text, JSON.stringify(await planOf(id)), JSON.stringify(list.body)])
      expect(text).not.toContain(producer.id);
  });

  test('sent again with the same key is the current record; other Dependencies are another request', async () => {
    const body = bodyOf();
    const key = `again ${keys}`;
    const { id } = planIn(await create(body, key));
    const same = await create({ ...body, dependencies: [input({ mode: 'variable_injection' })] }, key);
    expect([same.status, planIn(same).id]).toEqual([200, id]);
    await advance(id);
    expect((await create(body, key)).status).toBe(200);
    for (const dependencies of [[], [input({ mode: 'published_output' })]])
      expect(refusalOf(await create({ ...body, dependencies }, key))).toEqual([409, 'idempotency_conflict', undefined]);
    expect(await consumed((await planOf(id)).capsuleId ?? '')).toHaveLength(1);
  });

  test('reads Outputs that another Workspace shares', async () => {
    const foreign = await seedCapsule(server, { workspaceId: other, projectId: `prj_default_${other}` });
    seedState(server, foreign, { generation: 1, outputs: { endpoint: 'http://two', port: 1 } });
    const sides = { fromWorkspaceId: other, toWorkspaceId: server.workspaceId, producerCapsuleId: foreign.id };
    const { share } = (
      await server.api.createShare({ body: { ...sides, outputs: [{ name: 'endpoint', alias: 'url' }] } })
    ).body;
    await server.api.approveShare({ params: { shareId: share.id } });
    const dependencies = [input({ producerCapsuleId: foreign.id })];
    const { capsuleId = '' } = await install({ dependencies });
    expect(await consumed(capsuleId)).toMatchObject([{ visibility: 'cross_workspace' }]);

    const { id } = planIn(await create(bodyOf({ dependencies })));
    await advance(id, 'creating_capsule');
    await server.api.revokeShare({ params: { shareId: share.id } });
    const before = counts();
    expect((await advance(id)).diagnostic).toMatchObject({
      code: 'install_variable_invalid',
      reason: 'output_share_required',
    });
    expect(counts()).toEqual(before);
  });
});

describe('an installation is refused before its record exists', () => {
  const missing = `cap_${'0'.repeat(26)}`;
  const to = (name: string) => ({ url: { from: 'url', to: name } });
  const cases: [string, () => object, unknown[]][] = [
    [
      'without Outputs',
      () => ({ dependencies: [input({ outputs: {} })] }),
      [400, 'dependency_outputs_empty', '/dependencies/0/outputs'],
    ],
    [
      'without a producer',
      () => ({ dependencies: [input({ producerCapsuleId: missing })] }),
      [404, 'not_found', undefined],
    ],
    [
      'with a member of the dependency route',
      () => ({ dependencies: [input({ visibility: 'workspace' })] }),
      [400, 'invalid_request', '/dependencies/0/visibility'],
    ],
    [
      'with more than 32',
      () => ({ dependencies: Array.from({ length: 33 }, () => input()) }),
      [400, 'invalid_request', '/dependencies'],
    ],
    [
      'when two feed one variable',
      () => ({ dependencies: [input(), input()] }),
      [409, 'already_exists', '/dependencies/1/outputs/url/to'],
    ],
    [
      'when a variable also has a value',
      () => ({ variables: { address: 'x' } }),
      [400, 'install_variable_invalid', '/dependencies/0/outputs/url/to'],
    ],
    [
      'when its key needs escaping in a pointer',
      () => ({
        variables: { zone: 'x' },
        dependencies: [input(), input({ outputs: { 'a/b': { from: 'url', to: 'zone' } } })],
      }),
      [400, 'install_variable_invalid', '/dependencies/1/outputs/a~1b/to'],
    ],
  ];
  test.each(cases)('%s', async (_, more, refusal) => {
    const before = counts();
    expect(refusalOf(await create(bodyOf(more())))).toEqual(refusal);
    expect(counts()).toEqual(before);
  });

  test('on a Capsule of another Workspace without a share, and never with its state', async () => {
    const foreign = await seedCapsule(server, { workspaceId: other, projectId: `prj_default_${other}` });
    const at = { producerCapsuleId: foreign.id };
    expect(refusalOf(await create(bodyOf({ dependencies: [input(at)] })))).toEqual([
      409,
      'output_share_required',
      '/dependencies/0/outputs/url/from',
    ]);
    expect(refusalOf(await create(bodyOf({ dependencies: [input({ ...at, mode: 'remote_state' })] })))).toEqual([
      400,
      'remote_state_cross_workspace',
      '/dependencies/0/mode',
    ]);
  });

  test('on a destroyed Capsule', async () => {
    const gone = await seedCapsule(server);
    setStatus(gone.id, 'destroyed');
    expect(refusalOf(await create(bodyOf({ dependencies: [input({ producerCapsuleId: gone.id })] })))).toEqual([
      409,
      'capsule_destroyed',
      '/dependencies/0/producerCapsuleId',
    ]);
  });

  test('from a member, who may install without them', async () => {
    const member = await server.join('member');
    const send = (body: object) =>
      member.api.createInstallPlan(
        { params: { workspaceId: server.workspaceId }, body: body as CreateInstallPlan },
        { 'idempotency-key': `member ${keys}` },
      );
    await expect(send(bodyOf())).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    expect((await send(bodyOf({ dependencies: [] }))).status).toBe(201);
  });

  test('with a reviewed preflight also when the module does not have the variable', async () => {
    const { sourceId = '', sourceSnapshotId = '', compatibilityReportId = '', ...rest } = await install();
    const preflight = {
      sourceId,
      sourceSnapshotId,
      compatibilityReportId,
      compatibilityCheckRunId: rest.compatibilityCheckRunId,
      installConfigId: rest.installConfigBaseId,
    };
    const dependencies = [input(), input({ outputs: to('nowhere') })];
    expect(refusalOf(await create(bodyOf({ preflight, dependencies })))).toEqual([
      400,
      'install_variable_invalid',
      '/dependencies/1/outputs/url/to',
    ]);
    expect(refusalOf(await create(bodyOf({ preflight, dependencies: [input({ outputs: to('zone') })] })))).toEqual([
      400,
      'install_variable_required',
      '/variables/address',
    ]);
    const { phase, capsuleId = '' } = await install({ preflight });
    expect([phase, (await consumed(capsuleId)).length]).toEqual(['planning', 1]);
  });
});

describe('an installation ends with a diagnostic', () => {
  test('when the module does not have the variable', async () => {
    const outputs = { url: { from: 'url', to: 'address' }, more: { from: 'url', to: 'nowhere' } };
    const plan = await install({ dependencies: [input({ outputs })] });
    expect([plan.phase, plan.capsuleId, plan.diagnostic]).toMatchObject([
      'failed',
      undefined,
      { code: 'install_variable_invalid', message: 'The module does not have the variable "nowhere". Leave it out.' },
    ]);
  });

  test('when the producer was destroyed before the Capsule was created; nothing is created', async () => {
    const leaving = await seedCapsule(server);
    const { id } = planIn(
      await create(
        bodyOf({
          dependencies: [
            input(),
            input({ producerCapsuleId: leaving.id, outputs: { url: { from: 'url', to: 'zone' } } }),
          ],
        }),
      ),
    );
    await advance(id, 'creating_capsule');
    setStatus(leaving.id, 'destroyed');
    const before = counts();
    const plan = await advance(id);
    expect([plan.phase, plan.capsuleId, plan.diagnostic]).toMatchObject([
      'failed',
      undefined,
      { code: 'install_variable_invalid', reason: 'capsule_destroyed', planCreationStage: 'preparation' },
    ]);
    expect(counts()).toEqual(before);
  });
});
