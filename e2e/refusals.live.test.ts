import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Capabilities } from '#shared/discovery/api';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { Run } from '#shared/runs/contract';
import { readUntil, resourceIs, settled } from './fixtures/feed.ts';
import { type Files, type Harness, startHarness } from './fixtures/harness.ts';
import type { Refusal } from './fixtures/http.ts';
import {
  applyPlan,
  errorsOf,
  getCapsule,
  getRun,
  install,
  installPlanned,
  planAgain,
  reconcile,
  startApply,
  startInstall,
  startPlan,
  stateVersions,
  takeNewest,
} from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

let count = 0;
/** A fresh repository and a fresh name for a Capsule. */
const createInstallInput = (files: Files | string) => {
  count += 1;
  const name = `case-${count}`;
  return { name, url: harness.repository(name, typeof files === 'string' ? { 'main.tf': files } : files).url };
};
const post = <B>(at: string, body?: unknown) => harness.http.post<B>(`/api/v1${at}`, body);
const refusalOf = async (at: string, body: unknown = {}) => {
  const answer = await post<Refusal>(at, body);
  return [answer.status, answer.body.error?.code, answer.body.error?.details?.['reason']];
};
/** Opens a gate that a resource of this Capsule waits for. */
const openGate = (capsuleId: string, name: string) =>
  writeFileSync(path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', name), '');

describe('a module that cannot be installed', () => {
  it.each([
    ['does not parse', { 'main.tf': 'resource "terraform_data" {' }, 'configuration_invalid'],
    [
      'calls a remote module',
      { 'main.tf': 'module "m" {\n  source = "hashicorp/consul/aws"\n}\n' },
      'remote_module_source',
    ],
  ])('because it %s ends with a diagnostic and no Capsule', async (_what, files, reason) => {
    const { phase, diagnostic, capsuleId, planRunId } = await install(harness, createInstallInput(files));
    expect([phase, diagnostic?.code, diagnostic?.reason]).toEqual(['failed', 'compatibility_not_ready', reason]);
    expect(diagnostic?.message).toMatch(/\S{3}/);
    expect([capsuleId, planRunId]).toEqual([undefined, undefined]);
  });

  it('at a path that the scan did not find is refused with the paths that exist', async () => {
    const repository = createInstallInput({ 'a/main.tf': '', 'b/main.tf': '' });
    const codeOf = async (more: object) => (await install(harness, { ...repository, ...more })).diagnostic?.code;
    expect(await codeOf({ modulePath: 'c' })).toBe('repository_install_module_not_found');
    expect(await codeOf({ modulePath: '../a' })).toBe('repository_install_module_not_found');
    expect(await codeOf({})).toBe('repository_install_module_selection_required');
    const gone = await install(harness, { ...repository, path: 'gone' });
    expect(gone.diagnostic).toMatchObject({ code: 'source_sync_failed', controllerCode: 'source_path_not_found' });
    const outside = await startInstall(harness, { ...repository, path: '../..' });
    expect([outside.status, outside.body]).toMatchObject([400, { error: { details: { reason: 'path_invalid' } } }]);
  });
});

describe('variables of an installation', () => {
  const typed = 'variable "seats" {\n  type = number\n}\nvariable "title" {\n  type = string\n}\n';

  it.each([
    ['of a wrong type', { seats: ['many'], title: 'x' }, 'install_variable_invalid', 'seats'],
    ['that the module does not have', { seats: 1, title: 'x', colour: 'red' }, 'install_variable_invalid', 'colour'],
    ['that are missing', { seats: 1 }, 'install_variable_required', 'title'],
    [
      'that look like a credential',
      { seats: 1, title: 'ghp_0123456789abcdef' },
      'install_variable_invalid',
      'secretVariables',
    ],
  ])('%s are refused by name before anything is planned', async (_what, variables, code, named) => {
    const { diagnostic, capsuleId } = await install(harness, { ...createInstallInput(typed), variables });
    expect(diagnostic).toMatchObject({
      code,
      planCreationStage: 'preparation',
      message: expect.stringContaining(named),
    });
    expect(diagnostic?.message).not.toMatch(/many|ghp_/);
    expect(capsuleId).toBeUndefined();
  });

  it('that the module itself refuses fail the plan, and the diagnostic names the variable and its line', async () => {
    const checked =
      'variable "seats" {\n  type = number\n  validation {\n    condition     = var.seats < 10\n    error_message = "At most nine seats."\n  }\n}\n';
    const {
      phase,
      diagnostic,
      planRunId = '',
    } = await install(harness, { ...createInstallInput(checked), variables: { seats: 900 } });
    expect([phase, diagnostic?.code, diagnostic?.controllerCode]).toEqual(['failed', 'plan_run_failed', 'plan_failed']);
    expect(await getRun(harness, planRunId)).toMatchObject({ status: 'failed', errorCode: 'plan_failed' });
    const errors = await errorsOf(harness, planRunId);
    expect(errors).toContainEqual(
      expect.objectContaining({ variable: 'seats', detail: expect.stringContaining('At most nine seats.') }),
    );
    expect(errors[0]?.range).toMatchObject({ filename: 'main.tf', start: { line: 1 } });
  });
});

describe('a plan that fails', () => {
  it('because a provider is unavailable ends as init_failed and names the provider', async () => {
    const wanted = fakeModule(thing('a')).replace('"test/fake" }', '"test/fake", version = ">= 9.0.0" }');
    const { diagnostic, planRunId = '', capsuleId = '' } = await install(harness, createInstallInput(wanted));
    expect(diagnostic).toMatchObject({ code: 'plan_run_failed', controllerCode: 'init_failed' });
    expect(JSON.stringify(await errorsOf(harness, planRunId))).toContain('test/fake');
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'pending', currentStateGeneration: 0 });
  });

  it('reports its failure exactly once', async () => {
    const { planRunId = '' } = await install(harness, createInstallInput(fakeModule(thing('a', 'fail = "plan"'))));
    const errors = await errorsOf(harness, planRunId);
    expect(errors.filter(({ code }) => code === 'plan_failed')).toHaveLength(1);
    expect(errors).toContainEqual(expect.objectContaining({ address: 'fake_thing.a', message: 'Plan failed' }));
  });

  it('succeeds after the repository was repaired', async () => {
    const repository = harness.repository('repaired', { 'main.tf': fakeModule(thing('a', 'fail = "plan"')) });
    const { capsuleId = '', sourceId = '' } = await install(harness, { name: 'repaired', url: repository.url });
    repository.commit({ 'main.tf': fakeModule(thing('a')) });
    await takeNewest(harness, sourceId);
    const plan = await planAgain(harness, capsuleId);
    expect(plan).toMatchObject({ status: 'succeeded', summary: { add: 1 } });
    expect(await applyPlan(harness, plan)).toMatchObject({ status: 'succeeded' });
  });
});

describe('an apply that fails in the middle', () => {
  const half = (fail: string) =>
    fakeModule(
      thing('first') +
        thing('second', `${fail}\n  depends_on = [fake_thing.first]`) +
        thing('third', 'depends_on = [fake_thing.second]'),
    );

  it('keeps the completed changes, shows the remedy, and the next plan continues from there', async () => {
    const repository = harness.repository('half', { 'main.tf': half('fail = "create"') });
    const { plan, capsuleId, sourceId } = await installPlanned(harness, { name: 'half', url: repository.url });
    const apply = await applyPlan(harness, plan);
    expect(apply).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
    const [state] = await stateVersions(harness, capsuleId);
    expect(state).toMatchObject({ generation: 1, resourceCount: 1, partial: true, createdByRunId: apply.id });
    expect(await getCapsule(harness, capsuleId)).toMatchObject({
      status: 'error',
      runtimeSafety: 'unknown',
      currentStateVersionId: state?.id,
    });
    const errors = await errorsOf(harness, apply.id);
    expect(errors).toContainEqual(expect.objectContaining({ address: 'fake_thing.second', message: 'Create failed' }));
    expect(errors.filter(({ message }) => /recorded.*plan again/is.test(message))).toHaveLength(1);
    expect(errors.map(({ message }) => message).join('\n')).toContain('not reported as finished: fake_thing.second');
    repository.commit({ 'main.tf': half('') });
    await takeNewest(harness, sourceId);
    const next = await planAgain(harness, capsuleId);
    expect(next).toMatchObject({ status: 'succeeded', summary: { add: 2, change: 0, destroy: 0 } });
    expect(await applyPlan(harness, next)).toMatchObject({ status: 'succeeded' });
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
    expect((await stateVersions(harness, capsuleId))[0]).toMatchObject({ generation: 2, resourceCount: 3 });
  });
});

describe('an apply that cannot start', () => {
  it('ends with its reason, has created nothing, and blocks no other', async () => {
    const { plan, capsuleId } = await installPlanned(harness, createInstallInput(fakeModule(thing('a'))));
    // The provider finds a file where its folder was, so it refuses its configuration before any change.
    const world = path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'world');
    rmSync(world, { recursive: true });
    writeFileSync(world, '');
    const apply = await applyPlan(harness, plan);
    expect(apply).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
    expect(JSON.stringify(await errorsOf(harness, apply.id))).toContain('ConfigureProvider');
    expect((await stateVersions(harness, capsuleId)).filter(({ resourceCount }) => resourceCount > 0)).toEqual([]);
    rmSync(world);
    const next = await planAgain(harness, capsuleId);
    expect(next).toMatchObject({ status: 'succeeded', summary: { add: 1 } });
    expect(await applyPlan(harness, next)).toMatchObject({ status: 'succeeded' });
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  });
});

describe('a superseded plan', () => {
  it('that is queued behind the apply fails when it starts, and the Capsule is unchanged', async () => {
    const { plan, capsuleId } = await installPlanned(
      harness,
      createInstallInput(fakeModule(thing('a', 'gate = "open"'))),
    );
    const apply = await startApply(harness, plan);
    await readUntil(harness.server, apply.id, resourceIs('fake_thing.a', 'started'));
    const waiting = await startPlan(harness, capsuleId);
    expect(waiting.status).toBe('queued');
    openGate(capsuleId, 'open');
    expect((await settled(harness.server, apply.id)).status).toBe('succeeded');
    expect(await settled(harness.server, waiting.id)).toMatchObject({
      status: 'failed',
      errorCode: 'state_generation_mismatch',
    });
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  });
});

describe('cancelling a Run', () => {
  const whoami = 'data "fake_whoami" "me" {\n  gate = "open"\n}\n';

  it('cancels a running plan, and the next one can start', async () => {
    const { body } = await startInstall(harness, createInstallInput(fakeModule(whoami)));
    const id = body.installPlan.id;
    let planRunId: string | undefined;
    while (planRunId === undefined) {
      ({ planRunId } = (await post<InstallPlanAnswer>(`/install-plans/${id}/reconcile`)).body.installPlan);
    }
    await readUntil(harness.server, planRunId, ({ data }) => data['address'] === 'data.fake_whoami.me');
    const response = await post<{ run: Run }>(`/runs/${planRunId}/cancel`, {});
    expect(response.status).toBe(200);
    const ended = await settled(harness.server, planRunId);
    expect(ended).toMatchObject({ status: 'cancelled' });
    expect(ended.errorCode).toBeUndefined();
    const again = await post<{ run: Run }>(`/runs/${planRunId}/cancel`, {});
    expect([again.status, again.body.run.status]).toEqual([200, 'cancelled']);
    const { phase, capsuleId = '' } = await reconcile(harness, id);
    expect(phase).toBe('failed');
    const next = await startPlan(harness, capsuleId);
    await readUntil(harness.server, next.id, ({ data }) => data['address'] === 'data.fake_whoami.me');
    openGate(capsuleId, 'open');
    expect(await settled(harness.server, next.id)).toMatchObject({ status: 'succeeded' });
  });

  it('needs a confirmation for a running apply, and then keeps the completed changes', async () => {
    const slow = thing('quick') + thing('slow', 'gate = "open"\n  depends_on = [fake_thing.quick]');
    const { plan, capsuleId } = await installPlanned(harness, createInstallInput(fakeModule(slow)));
    const apply = await startApply(harness, plan);
    await readUntil(harness.server, apply.id, resourceIs('fake_thing.slow', 'started'));
    expect(await refusalOf(`/runs/${apply.id}/cancel`)).toEqual([409, 'failed_precondition', 'apply_in_progress']);
    expect((await post(`/runs/${apply.id}/cancel`, { interrupt: true })).status).toBe(200);
    expect(await settled(harness.server, apply.id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' });
    expect(await stateVersions(harness, capsuleId)).toMatchObject([{ generation: 1, resourceCount: 1, partial: true }]);
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
    const messages = (await errorsOf(harness, apply.id)).map(({ message }) => message).join('\n');
    expect(messages).toMatch(/interrupted.*plan again/is);
    const next = await planAgain(harness, capsuleId);
    expect(next).toMatchObject({ status: 'succeeded', summary: { add: 1, change: 0, destroy: 0 } });
    const last = await startApply(harness, next);
    openGate(capsuleId, 'open');
    expect(await settled(harness.server, last.id)).toMatchObject({ status: 'succeeded' });
    expect((await stateVersions(harness, capsuleId))[0]).toMatchObject({ generation: 2, resourceCount: 2 });
  });
});

describe('a server without a tool', () => {
  const empty = mkdtempSync(path.join(os.tmpdir(), 'groundctl-empty-'));
  mkdirSync(path.join(empty, 'cache'));
  afterAll(() => rmSync(empty, { recursive: true, force: true }));

  it('says so and plans nothing', async () => {
    const bare = await startHarness({ env: { PATH: '/nowhere', XDG_CACHE_HOME: path.join(empty, 'cache') } });
    try {
      const { body } = await bare.http.get<Capabilities>('/api/v1/capabilities');
      expect(body.runner).toMatchObject({ available: false, toolName: null });
      const { url } = bare.repository('plain', { 'main.tf': 'resource "terraform_data" "a" {}\n' });
      const started = await startInstall(bare, { url, name: 'plain' });
      const at = `/api/v1/install-plans/${started.body.installPlan.id}`;
      let answer = await bare.http.post<InstallPlanAnswer & Refusal>(`${at}/reconcile`);
      while (answer.status < 400 && answer.body.nextAction === 'reconcile') {
        answer = await bare.http.post(`${at}/reconcile`);
      }
      expect([answer.status, answer.body.error?.code]).toEqual([503, 'runner_unavailable']);
      expect(answer.body.error.message).toContain('Install the pinned');
      const { installPlan } = (await bare.http.get<InstallPlanAnswer>(at)).body;
      expect(installPlan).toMatchObject({ phase: 'planning', capsuleId: expect.any(String) });
      const plan = await bare.http.post<Refusal>(`/api/v1/capsules/${installPlan.capsuleId}/plan`);
      expect([plan.status, plan.body.error.code]).toEqual([503, 'runner_unavailable']);
    } finally {
      await bare.stop();
    }
  });
});
