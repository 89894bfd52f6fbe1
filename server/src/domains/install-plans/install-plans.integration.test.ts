import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { RunTrigger } from '#shared/runs/changes';
import { filesHolding } from '../../../test/data-files.ts';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestClient, type TestServer, tempDir } from '../../../test/harness.ts';

let server: TestServer;
let git: GitHost;
const plain =
  'variable "name" { type = string }\nvariable "pin" {\n  type      = string\n  default   = ""\n  sensitive = true\n}\n';
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  git.repository('plain', { 'main.tf': plain });
  git.repository('simple', { 'main.tf': 'output "a" { value = 1 }\n' });
  git.repository('several', { 'a/main.tf': 'output "a" { value = 1 }\n', 'b/main.tf': 'output "b" { value = 1 }\n' });
  git.repository('remote', { 'main.tf': 'module "a" {\n  source = "registry.example.com/a/b/c"\n}\n' });
  git.repository('typed', { 'main.tf': 'resource "terraform_data" "x" {}\n' });
  git.repository('examples', { 'main.tf': plain, 'examples/x/main.tf': 'module "root" {\n  source = "../../"\n}\n' });
  git.repository('bare', { 'README.md': 'no module' });
});
afterAll(() => Promise.all([server.close(), git.close()]));

let keys = 0;
type RequestOptions = Partial<CreateInstallPlan> & { repository?: string; mode?: string; ref?: string; path?: string };
const requestOf = ({
  repository = 'simple',
  mode,
  ref = 'main',
  path: folder = '.',
  ...more
}: RequestOptions): CreateInstallPlan => ({
  source: { name: 'Modules', url: git.url(repository, mode), ref, path: folder },
  capsule: { name: `Capsule ${keys}`, environment: 'test' },
  ...more,
});
/** Starts an installation under a new key. */
async function startInstall(options: RequestOptions = {}, api: TestClient = server.api) {
  keys += 1;
  const { body } = await api.createInstallPlan(
    { params: { workspaceId: server.workspaceId }, body: requestOf(options) },
    { 'idempotency-key': `key ${keys}` },
  );
  return body.installPlan.id;
}
const reconcile = (installPlanId: string) =>
  server.request('POST', `/api/v1/install-plans/${installPlanId}/reconcile`, undefined);
const planOf = async (installPlanId: string) =>
  (await server.api.getInstallPlan({ params: { installPlanId } })).body.installPlan;
/** Reconciles until the phase is reached or no step is left that works without a tool. */
async function advance(installPlanId: string, until: string) {
  for (;;) {
    const plan = await planOf(installPlanId);
    if (plan.phase === until || plan.phase === 'failed' || plan.phase === 'reviewable') return plan;
    const answer = await reconcile(installPlanId);
    if (answer.status >= 400) throw new Error(answer.text);
  }
}

describe('reconcile', () => {
  test('advances exactly one step at a time, and reading does not advance it', async () => {
    const id = await startInstall({ repository: 'plain', variables: { name: 'x' } });
    const seen: unknown[] = [];
    let known = Object.keys(await planOf(id));
    for (let generation = 1; generation <= 6; generation += 1) {
      const { status, json } = await reconcile(id);
      const {
        installPlan: plan,
        nextAction,
        links,
      } = json as { installPlan: object; nextAction: string; links: object };
      expect([status, nextAction, links]).toEqual([
        200,
        'reconcile',
        { self: `/api/v1/install-plans/${id}`, reconcile: `/api/v1/install-plans/${id}/reconcile` },
      ]);
      expect(plan).toMatchObject({ generation });
      const fresh = Object.keys(plan).filter((name) => !known.includes(name));
      known = Object.keys(plan);
      seen.push([(plan as { phase: string }).phase, ...fresh.sort()]);
      expect(await planOf(id)).toEqual(plan);
      expect(await planOf(id)).toEqual(plan);
    }
    expect(seen).toEqual([
      ['syncing_source', 'sourceId'],
      ['syncing_source', 'sourceSyncRunId'],
      ['compiling_install', 'sourceSnapshotId'],
      ['analyzing_compatibility', 'installConfigBaseDigest', 'installConfigBaseId', 'installModulePath'],
      ['creating_capsule', 'compatibilityCheckRunId', 'compatibilityReportId'],
      ['planning', 'capsuleId', 'installConfigId'],
    ]);
    const { capsuleId = '', installConfigId } = await planOf(id);
    const { capsule } = (await server.api.getCapsule({ params: { capsuleId } })).body;
    expect(capsule).toMatchObject({ status: 'pending', installConfigId, executionAuthorityEpoch: 1 });
  });

  test('waits at the plan until a tool is available, and loses nothing while it waits', async () => {
    const id = await startInstall();
    const before = await advance(id, 'planning');
    const refused = await reconcile(id);
    expect([refused.status, refused.json]).toMatchObject([503, { error: { code: 'runner_unavailable' } }]);
    expect(await planOf(id)).toEqual(before);
  });

  test('continues after a restart of the server between any two steps', async () => {
    const id = await startInstall();
    for (let generation = 1; generation <= 6; generation += 1) {
      await server.restart();
      expect((await reconcile(id)).json).toMatchObject({ installPlan: { generation } });
    }
    expect((await planOf(id)).phase).toBe('planning');
  });

  test('is refused while another call is advancing the same installation', async () => {
    const id = await startInstall({ mode: 'hang', repository: 'x1' });
    await reconcile(id);
    const { sourceSyncRunId: runId = '' } = await advanceTo(id, 'sourceSyncRunId');
    const both = [reconcile(id), reconcile(id)];
    const first = await Promise.race(both);
    expect([first.status, first.json]).toMatchObject([409, { error: { code: 'reconcile_in_progress' } }]);
    await server.api.cancelRun({ params: { runId }, body: {} });
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await planOf(id)).toMatchObject({
      phase: 'failed',
      generation: 3,
      diagnostic: { code: 'source_sync_failed', planCreationStage: 'source' },
    });
  });

  test('that waits is released when the server stops: 202, and nothing has changed', async () => {
    const id = await startInstall({ mode: 'hang', repository: 'x2' });
    const { generation, sourceSyncRunId: runId = '' } = await advanceTo(id, 'sourceSyncRunId');
    const both = [reconcile(id), reconcile(id)];
    await Promise.race(both);
    await server.restart();
    const waited = (await Promise.all(both)).find(({ status }) => status !== 409);
    expect([waited?.status, waited?.headers['retry-after']]).toEqual([202, '1']);
    expect(waited?.json).toMatchObject({
      installPlan: { phase: 'syncing_source', diagnostic: { code: 'install_plan_reconcile_retryable' } },
    });
    const plan = await planOf(id);
    expect([plan.generation, plan.diagnostic]).toEqual([generation, undefined]);
    await server.api.cancelRun({ params: { runId }, body: {} });
  });

  test('under a key of its own repeats the answer of the same step', async () => {
    const id = await startInstall();
    const keyed = () =>
      server.request('POST', `/api/v1/install-plans/${id}/reconcile`, undefined, { 'idempotency-key': `step ${id}` });
    const first = await keyed();
    expect((await keyed()).json).toEqual(first.json);
    expect((await planOf(id)).generation).toBe(1);
  });

  test('after the end changes nothing', async () => {
    const id = await startInstall({ repository: 'bare' });
    const ended = await advance(id, 'failed');
    const again = await reconcile(id);
    expect([again.status, again.json]).toEqual([
      200,
      { installPlan: ended, nextAction: 'none', links: { self: `/api/v1/install-plans/${id}` } },
    ]);
  });

  /** Reconciles until a reference is set. */
  async function advanceTo(id: string, fact: 'sourceSyncRunId') {
    while ((await planOf(id))[fact] === undefined) await reconcile(id);
    return planOf(id);
  }
});

describe('an installation', () => {
  const create = (body: object, key: string) =>
    server.request('POST', `/api/v1/workspaces/${server.workspaceId}/install-plans`, body, { 'idempotency-key': key });

  test('sent again with the same key is the current record; another request is refused', async () => {
    const body = requestOf({ capsule: { name: 'Replayed', environment: 'test' } });
    const first = await create(body, 'replay');
    const { id } = (first.json as { installPlan: { id: string } }).installPlan;
    await reconcile(id);
    const again = await create({ ...body, options: {}, variables: {}, secretVariables: [] }, ' replay ');
    expect([first.status, again.status]).toEqual([201, 200]);
    expect((again.json as { installPlan: object }).installPlan).toEqual(await planOf(id));
    for (const other of [
      { ...body, variables: { a: 1 } },
      { ...body, options: { modulePath: 'a' } },
    ])
      expect(await create(other, 'replay')).toMatchObject({
        status: 409,
        json: { error: { code: 'idempotency_conflict' } },
      });
  });

  test('sent many times at once is created once', async () => {
    const body = requestOf({ capsule: { name: 'Rushed', environment: 'test' } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(body, 'rush')));
    const ids = answers.map(({ json }) => (json as { installPlan: { id: string } }).installPlan.id);
    expect(new Set(ids).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('with an invalid address or too much data is refused at once', async () => {
    const source = requestOf({}).source;
    const refused: [object, string, string | RegExp][] = [
      [{ source: { ...source, url: 'ssh://a/b' } }, 'git_ssh_not_supported', '/source/url'],
      [{ source: { ...source, ref: 'a b' } }, 'ref_invalid', '/source/ref'],
      [{ source: { ...source, path: '../a' } }, 'path_invalid', '/source/path'],
      [{ variables: { big: 'x'.repeat(32_769) } }, 'install_variable_invalid', '/variables/big'],
      [{ variables: { a: Array(5_000).fill(0) } }, 'install_variable_invalid', /^\/variables\/a\/\d+$/],
    ];
    for (const [more, reason, field] of refused) {
      const { status, json } = await create({ ...requestOf({}), ...more }, 'wrong');
      const expected = { code: 'invalid_argument', details: { reason, field: expect.stringMatching(field) } };
      expect([status, json]).toMatchObject([400, { error: expected }]);
    }
  });

  test('under a name that is taken is refused, and names an unapplied Capsule that holds it', async () => {
    const id = await startInstall({ capsule: { name: 'Taken', environment: 'test' } });
    const { capsuleId } = await advance(id, 'planning');
    const { status, json } = await create(requestOf({ capsule: { name: 'Taken', environment: 'test' } }), 'taken');
    expect([status, json]).toMatchObject([
      409,
      {
        error: {
          code: 'failed_precondition',
          details: { reason: 'capsule_name_taken', capsuleId, capsuleStatus: 'pending' },
        },
      },
    ]);
    expect((await create(requestOf({ capsule: { name: 'Taken', environment: 'other' } }), 'free')).status).toBe(201);
  });

  test('whose name was taken before its Capsule was created ends with a diagnostic', async () => {
    const capsule = { name: 'Raced', environment: 'test' };
    const [one, two] = [await startInstall({ capsule }), await startInstall({ capsule })];
    await advance(one, 'planning');
    expect((await advance(two, 'planning')).diagnostic).toMatchObject({
      code: 'capsule_identity_ambiguous',
      reason: 'capsule_name_taken',
    });
  });

  test('reuses the Source of its repository, and keeps its default address', async () => {
    const [one, two] = [
      await startInstall({ repository: 'several', path: 'a' }),
      await startInstall({ repository: 'several', path: 'b' }),
    ];
    const [first, second] = [await advance(one, 'planning'), await advance(two, 'planning')];
    expect(second.sourceId).toBe(first.sourceId);
    expect(second.sourceSnapshotId).not.toBe(first.sourceSnapshotId);
    const { source } = (await server.api.getSource({ params: { sourceId: first.sourceId ?? '' } })).body;
    expect([source.defaultRef, source.defaultPath]).toEqual(['main', 'a']);
  });

  test('belongs to its creator: a member advances only its own, and a viewer none', async () => {
    const member = await server.join('member');
    const viewer = await server.join('viewer');
    const own = await startInstall({}, member.api);
    const other = await startInstall();
    const step = (api: TestClient, installPlanId: string) => api.reconcileInstallPlan({ params: { installPlanId } });
    expect((await step(member.api, own)).body.installPlan.createdBy).toBe(member.subject);
    await expect(step(member.api, other)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await expect(step(viewer.api, own)).rejects.toMatchObject({ status: 403 });
    expect((await step(server.api, own)).body.installPlan.generation).toBe(2);
    await expect(startInstall({}, viewer.api)).rejects.toMatchObject({ status: 403 });
  });

  test('is listed newest first, by phase', async () => {
    const id = await startInstall();
    const list = async (query: object) =>
      (await server.api.listInstallPlans({ params: { workspaceId: server.workspaceId }, query })).body.installPlans;
    expect((await list({ limit: '1' }))[0]?.id).toBe(id);
    expect((await list({ phase: 'failed' })).every(({ phase }) => phase === 'failed')).toBe(true);
    expect((await list({ phase: 'syncing_source' })).map((plan) => plan.id)).toContain(id);
  });
});

test('a folder that is not in the list is installed when the path of its module is named', async () => {
  const id = await startInstall({ repository: 'examples', options: { modulePath: 'examples/x' } });
  expect(await advance(id, 'planning')).toMatchObject({
    phase: 'planning',
    installModulePath: 'examples/x',
    capsuleId: expect.any(String),
  });
});

describe('an installation that cannot go on ends with a diagnostic', () => {
  const failures: [string, RequestOptions, object][] = [
    ['no such branch', { ref: 'nowhere' }, { code: 'source_sync_failed', controllerCode: 'source_ref_not_found' }],
    ['several modules', { repository: 'several' }, { code: 'repository_install_module_selection_required' }],
    ['no module', { repository: 'bare' }, { code: 'repository_install_module_not_found' }],
    [
      'another module path',
      { repository: 'several', options: { modulePath: 'c' } },
      { code: 'repository_install_module_not_found' },
    ],
    [
      'a remote module',
      { repository: 'remote' },
      {
        code: 'compatibility_not_ready',
        reason: 'remote_module_source',
        message: expect.stringMatching(/^main\.tf: The module "a" comes from registry\.example\.com\/a\/b\/c\. [^/]*$/),
      },
    ],
    ['a missing variable', { repository: 'plain' }, { code: 'install_variable_required' }],
    [
      'an unknown variable',
      { repository: 'plain', variables: { name: 'x', more: 1 } },
      { code: 'install_variable_invalid' },
    ],
    ['a wrong type', { repository: 'plain', variables: { name: ['x'] } }, { code: 'install_variable_invalid' }],
    [
      'a readable credential',
      { repository: 'plain', variables: { name: `ghp_${'a1'.repeat(18)}` } },
      { code: 'install_variable_invalid', reason: 'secret_like_value' },
    ],
  ];
  test.each(failures)('%s', async (_, options, diagnostic) => {
    const plan = await advance(await startInstall(options), 'planning');
    expect([plan.phase, plan.diagnostic]).toMatchObject(['failed', diagnostic]);
    expect(plan.completedAt).toBeDefined();
    expect(plan.capsuleId).toBeUndefined();
    expect(plan.diagnostic?.message).not.toContain('ghp_');
  });

  test('a module that the policy of its configuration forbids, for which no Capsule is created', async () => {
    const policy = (text: string) =>
      server.ledger((db) => db.sqlite.prepare('UPDATE install_configs SET policy = ? WHERE NOT derived').run(text));
    policy('{"allowedResourceTypes":[]}');
    const plan = await advance(await startInstall({ repository: 'typed' }), 'planning');
    policy('{}');
    expect(plan.diagnostic).toMatchObject({ code: 'compatibility_not_ready', reason: 'resource_type_not_allowed' });
    expect(plan.capsuleId).toBeUndefined();
  });

  test('and one with a chosen module continues', async () => {
    const id = await startInstall({ repository: 'several', options: { modulePath: 'b' } });
    expect(await advance(id, 'planning')).toMatchObject({ phase: 'planning', installModulePath: 'b' });
  });
});

test('a secret variable is sealed from the start: no answer, list or file contains it', async () => {
  const canary = 'Tr0ub4dor-canary-41';
  const other = 'Correct-horse-canary-42';
  const id = await startInstall({
    repository: 'plain',
    variables: { name: other, pin: canary },
    secretVariables: ['name'],
  });
  const holds = () => filesHolding(server.dataDir, canary, other);
  expect(holds()).toEqual([]);
  const { installConfigId = '' } = await advance(id, 'planning');
  expect(holds()).toEqual([]);
  const { installConfig } = (await server.api.getInstallConfig({ params: { capsuleConfigId: installConfigId } })).body;
  expect(installConfig.variableMapping).toEqual({ name: '[REDACTED]', pin: '[REDACTED]' });
  const left = server.ledger((db) => db.sqlite.prepare('SELECT variables FROM install_plans WHERE id = ?').get(id));
  expect(left).toEqual({ variables: null });
});

test('with a tool that cannot plan, the installation ends with the reason in its Run, and names an install link as its cause', async () => {
  const dir = tempDir();
  await server.close();
  server = await startTestServer({ env: { GROUNDCTL_TOOL_PATH: writeFakeTool(dir) } });
  const id = await startInstall({ options: { installLink: true } });
  const plan = await advance(id, 'failed');
  expect(plan).toMatchObject({ phase: 'failed', diagnostic: { code: 'plan_run_failed', planCreationStage: 'create' } });
  const { run } = (await server.api.getRun({ params: { runId: plan.planRunId ?? '' } })).body;
  expect([run.type, run.status, run.toolVersion]).toEqual(['plan', 'failed', '1.12.6']);
  expect(run.errorCode).toBe(plan.diagnostic?.controllerCode);
  const caused = async (trigger: RunTrigger) =>
    (await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: { trigger, type: 'plan' } })).body
      .runs;
  expect((await caused('install_link')).map((one) => one.id)).toEqual([run.id]);
  expect(await caused('person')).toEqual([]);
  fs.rmSync(dir, { recursive: true });
});
