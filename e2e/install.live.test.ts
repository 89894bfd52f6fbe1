import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { PlanDocument } from '#shared/plans/document';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import type { Run } from '#shared/runs/contract';
import type { InstallModules } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { type FeedEvent, readFeed, readUntil, settled } from './fixtures/feed.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import type { Refusal } from './fixtures/http.ts';
import {
  applyPlan,
  getCapsule,
  getRun,
  installPlanned,
  logsOf,
  outputsOf,
  planAgain,
  stateVersions,
  takeNewest,
} from './fixtures/journey.ts';
import { hasRealProviders } from './fixtures/mirror.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { findTool } from './fixtures/tool.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

const phasesOf = (events: readonly FeedEvent[]) =>
  events.filter(({ event }) => event === 'phase').map(({ data }) => `${data['phase']} ${data['state']}`);
const statusesOf = (events: readonly FeedEvent[]) =>
  events.filter(({ event }) => event === 'status').map(({ data }) => data['status']);
const wholeFeed = async (runId: string, options: Parameters<typeof readFeed>[2] = {}) => {
  const events: FeedEvent[] = [];
  for await (const event of readFeed(harness.server, runId, options)) events.push(event);
  return events;
};

const shop = fakeModule(`variable "title" {
  type = string
}
variable "seats" {
  type    = number
  default = 2
}
variable "pin" {
  type      = string
  sensitive = true
}
${thing('door', 'note = var.title\n  secret = var.pin')}
${thing('sign', 'force = var.title\n  size = var.seats\n  depends_on = [fake_thing.door]')}
output "sign" {
  value = fake_thing.sign.name
}
output "seats" {
  value = var.seats
}
output "key" {
  value     = fake_thing.door.access_key
  sensitive = true
}
`);

describe('an installation, step by step', () => {
  let repository: HarnessRepository;
  let capsuleId = '';
  let sourceId = '';
  let plan: Run;
  let apply: Run;
  beforeAll(() => {
    repository = harness.repository('shop', { 'modules/shop/main.tf': shop, 'README.md': '# Shop\n' });
  });

  it('finds the module of a Source before the installation', async () => {
    const { http, workspaceId } = harness;
    const sourceResponse = await http.post<{ source: { id: string } }>('/api/v1/sources', {
      workspaceId,
      name: 'shop',
      url: repository.url,
      defaultRef: 'main',
    });
    sourceId = sourceResponse.body.source.id;
    const sync = await http.post<{ run: { id: string } }>(`/api/v1/sources/${sourceId}/sync`);
    const { status, sourceSnapshotId } = await settled(harness.server, sync.body.run.id);
    const at = `/api/v1/sources/${sourceId}/snapshots/${sourceSnapshotId}`;
    const installModules = (await http.get<InstallModules>(`${at}/install-modules`)).body;
    const file = (await http.get<{ text: string }>(`${at}/file?path=README.md`)).body;
    expect([sourceResponse.status, sync.status, status, file.text]).toEqual([201, 201, 'succeeded', '# Shop\n']);
    expect(installModules).toMatchObject({
      status: 'ready',
      modules: [{ path: 'modules/shop', providerPackages: [{ source: expect.stringMatching(/\/test\/fake$/) }] }],
    });
  });

  it('shows the requirements of the module before the plan', async () => {
    const { http } = harness;
    const at = `/api/v1/sources/${sourceId}/compatibility-check`;
    const { status, body } = await http.post<{ report: CompatibilityReport }>(at, {});
    expect([status, body.report.level]).toEqual([201, 'ready']);
    expect(body.report.rootModuleVariableDeclarations).toMatchObject([
      { name: 'title', type: 'string', hasDefault: false },
      { name: 'seats', type: 'number', hasDefault: true, default: 2 },
      { name: 'pin', hasDefault: false, sensitive: true },
    ]);
  });

  it('goes step by step from the address to a reviewable plan, and repeats nothing for the same key', async () => {
    const { http, workspaceId } = harness;
    const headers = { 'idempotency-key': randomUUID() };
    const input = {
      source: { name: 'shop', url: repository.url, ref: 'main', path: '.' },
      capsule: { name: 'shop', environment: 'default' },
      variables: { title: 'Books', pin: 'pin-4711-abcdef' },
    };
    const post = () => http.post<InstallPlanAnswer>(`/api/v1/workspaces/${workspaceId}/install-plans`, input, headers);
    const [first, again] = [await post(), await post()];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body.installPlan.id).toBe(first.body.installPlan.id);
    const phases: string[] = [];
    let answer = first.body;
    while (answer.links.reconcile !== undefined) {
      answer = (await http.post<InstallPlanAnswer>(answer.links.reconcile)).body;
      if (phases.at(-1) !== answer.installPlan.phase) phases.push(answer.installPlan.phase);
    }
    expect(phases).toEqual([
      'syncing_source',
      'compiling_install',
      'analyzing_compatibility',
      'creating_capsule',
      'planning',
      'reviewable',
    ]);
    expect(answer).toMatchObject({
      nextAction: 'review_run',
      installPlan: { sourceId, installModulePath: 'modules/shop' },
    });
    capsuleId = answer.installPlan.capsuleId ?? '';
    plan = (await http.get<{ run: Run }>(answer.links.run ?? '')).body.run;
  });

  it('shows the planned changes, with sensitive values marked and never disclosed', async () => {
    const { body, text } = await harness.http.get<{ plan: PlanDocument }>(`/api/v1/runs/${plan.id}/plan`);
    expect(plan).toMatchObject({
      status: 'succeeded',
      awaits: 'apply',
      policyStatus: 'pass',
      requiresApproval: false,
      summary: { add: 2, change: 0, destroy: 0 },
      toolName: harness.tool.name,
    });
    const [firstResource, sign] = body.plan.resources;
    expect(firstResource).toMatchObject({
      address: 'fake_thing.door',
      mode: 'managed',
      actions: ['create'],
      after: { note: 'Books', secret: { $svc: 'sensitive', changed: true } },
      afterUnknown: { id: true },
    });
    expect(sign).toMatchObject({ address: 'fake_thing.sign', after: { size: 2, force: 'Books' } });
    expect(body.plan.outputs).toContainEqual(expect.objectContaining({ name: 'key', sensitive: true }));
    expect(text).not.toContain('pin-4711');
  });

  it('returns the plan as a log, as JSON and as text', async () => {
    const logs = await logsOf(harness, plan.id);
    const text = await harness.http.get(`/api/v1/runs/${plan.id}/logs`, { accept: 'text/plain' });
    expect(logs.lineCount).toBe(logs.entries.length);
    expect(logs.nextAfter).toBeUndefined();
    expect(logs.entries.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['init', 'plan']));
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text.text.split('\n')).toHaveLength(logs.lineCount + 1);
    expect(text.text).toContain('2 to add, 0 to change, 0 to destroy');
  });

  it('returns the plan as a stream that resumes where its reader stopped', async () => {
    const from = await readUntil(
      harness.server,
      plan.id,
      ({ event, data }) => event === 'phase' && data['phase'] === 'plan',
    );
    const cursor = from.at(-1)?.id ?? 0;
    const kinds = { kinds: 'audit,status,resource,log,phase,diagnostic,end' };
    const [whole, rest, byHeader] = [
      await wholeFeed(plan.id, kinds),
      await wholeFeed(plan.id, { ...kinds, after: cursor }),
      await wholeFeed(plan.id, { ...kinds, lastEventId: cursor }),
    ];
    const seqs = whole.filter(({ event }) => event !== 'end').map(({ id }) => id ?? 0);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(statusesOf(whole)).toEqual(['queued', 'running', 'succeeded']);
    expect(phasesOf(whole)).toEqual(
      expect.arrayContaining(['init started', 'init finished', 'plan started', 'plan finished', 'policy finished']),
    );
    expect(rest).toEqual(whole.filter(({ id, event }) => event === 'end' || (id ?? 0) > cursor));
    expect(byHeader).toEqual(rest);
    expect(whole.at(-1)).toMatchObject({ event: 'end', data: { runId: plan.id, status: 'succeeded' } });
  });

  it('refuses to apply a plan other than the reviewed one', async () => {
    const planDigest = `sha256:${'0'.repeat(64)}`;
    const { status, body } = await harness.http.post<Refusal>(`/api/v1/runs/${plan.id}/apply`, { planDigest });
    expect([status, body.error.details?.['reason']]).toEqual([409, 'plan_digest_mismatch']);
  });

  it('applies the plan and keeps state and Outputs', async () => {
    apply = await applyPlan(harness, plan);
    const [state, ...older] = await stateVersions(harness, capsuleId);
    expect(apply).toMatchObject({
      type: 'apply',
      status: 'succeeded',
      planRunId: plan.id,
      planDigest: plan.planDigest,
    });
    expect(state).toMatchObject({ generation: 1, resourceCount: 2, createdByRunId: apply.id });
    expect([older, state?.partial]).toEqual([[], undefined]);
    expect(await outputsOf(harness, capsuleId)).toEqual({ sign: 'sign', seats: 2 });
    expect(await getCapsule(harness, capsuleId)).toMatchObject({
      status: 'active',
      runtimeSafety: 'safe',
      currentStateGeneration: 1,
      currentStateVersionId: state?.id,
      adoptedSourceRevision: { resolvedCommit: plan.resolvedCommit },
      latestRun: { id: apply.id, status: 'succeeded' },
    });
  });

  it('reports the apply per resource, in the order of their dependencies', async () => {
    const events = await wholeFeed(apply.id);
    const resources = events
      .filter(({ event, data }) => event === 'resource' && data['state'] !== 'progress')
      .map(({ data }) => `${data['address']} ${data['action']} ${data['state']}`);
    expect(resources).toEqual([
      'fake_thing.door create started',
      'fake_thing.door create completed',
      'fake_thing.sign create started',
      'fake_thing.sign create completed',
    ]);
    expect(phasesOf(events)).toEqual([
      'init reused',
      'apply started',
      'apply finished',
      'commit started',
      'commit finished',
    ]);
    expect(statusesOf(events)).toEqual(['queued', 'running', 'succeeded']);
  });

  it('returns the same Run for a repeated apply', async () => {
    const { status, body } = await harness.http.post<{ run: Run }>(`/api/v1/runs/${plan.id}/apply`, {});
    expect([status, body.run.id, body.run.status]).toEqual([200, apply.id, 'succeeded']);
  });

  it('plans again without another init, and finds nothing to do', async () => {
    const again = await planAgain(harness, capsuleId);
    const phases = phasesOf(await wholeFeed(again.id));
    expect(again).toMatchObject({ status: 'succeeded', summary: { add: 0, change: 0, destroy: 0 } });
    expect(phases[0]).toBe('init reused');
    expect(phases).not.toContain('init started');
  });

  it('requires an approval where a new commit replaces a resource, and applies it afterwards', async () => {
    repository.commit({ 'modules/shop/main.tf': shop.replace('force = var.title', 'force = "another"') });
    expect((await takeNewest(harness, sourceId)).level).toBe('ready');
    const second = await planAgain(harness, capsuleId);
    expect(second).toMatchObject({ status: 'waiting_approval', awaits: 'approve', requiresApproval: true });
    const document = (await harness.http.get<{ plan: PlanDocument }>(`/api/v1/runs/${second.id}/plan`)).body.plan;
    expect(document.resources[0]).toMatchObject({
      address: 'fake_thing.sign',
      actions: ['delete', 'create'],
      replacePaths: [['force']],
    });
    const early = await harness.http.post<Refusal>(`/api/v1/runs/${second.id}/apply`, {});
    expect([early.status, early.body.error.details?.['reason']]).toEqual([409, 'approval_required']);
    const applied = await applyPlan(harness, second);
    expect(applied.status).toBe('succeeded');
    expect(await getRun(harness, second.id)).toMatchObject({ status: 'succeeded', approval: { reason: 'read it' } });
    expect((await stateVersions(harness, capsuleId)).map(({ generation }) => generation)).toEqual([2, 1]);
  });

  it('keeps everything over a restart, and continues', async () => {
    const paths = [
      `/api/v1/capsules/${capsuleId}`,
      `/api/v1/capsules/${capsuleId}/outputs`,
      `/api/v1/capsules/${capsuleId}/state-versions`,
      `/api/v1/runs/${apply.id}`,
      `/api/v1/runs/${plan.id}/plan`,
      `/api/v1/runs/${apply.id}/logs`,
      `/api/v1/workspaces/${harness.workspaceId}/runs`,
    ];
    const read = () => Promise.all(paths.map(async (path) => (await harness.http.get(path)).body));
    const before = await read();
    await harness.server.restart();
    expect(await read()).toEqual(before);
    const next = await planAgain(harness, capsuleId);
    expect(next).toMatchObject({ status: 'succeeded', summary: { add: 0, change: 0, destroy: 0 } });
    expect(phasesOf(await wholeFeed(next.id))[0]).toBe('init reused');
  });
});

describe('Capsules side by side', () => {
  it('run at the same time, each with its own state', async () => {
    const { url } = harness.repository('pair', { 'main.tf': pair });
    const names = ['east', 'west'];
    const createInstallInput = (name: string) => ({ url, name, variables: { name } });
    const planned = await Promise.all(names.map((name) => installPlanned(harness, createInstallInput(name))));
    expect(new Set(planned.map(({ sourceId }) => sourceId)).size).toBe(1);
    const applied = await Promise.all(planned.map(({ plan }) => applyPlan(harness, plan)));
    expect(applied.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    const outputs = await Promise.all(planned.map(({ capsuleId }) => outputsOf(harness, capsuleId)));
    expect(outputs).toEqual([{ name: 'east' }, { name: 'west' }]);
    const [east, west] = applied;
    expect((east?.startedAt ?? '') < (west?.finishedAt ?? '')).toBe(true);
    expect((west?.startedAt ?? '') < (east?.finishedAt ?? '')).toBe(true);
  });
});

const pair = fakeModule(`variable "name" {
  type = string
}
${thing('one', 'note = var.name\n  delay_ms = 300')}
output "name" {
  value = fake_thing.one.note
}
`);

describe('a folder of examples', () => {
  it('is installed when it is named as the module, and updated like any other', async () => {
    const root = (text: string) => `output "text" {\n  value = "${text}"\n}\n`;
    const repository = harness.repository('with-examples', {
      'main.tf': root('one'),
      'examples/x/main.tf': 'module "root" {\n  source = "../../"\n}\noutput "x" {\n  value = module.root.text\n}\n',
    });
    const example = { url: repository.url, name: 'example', modulePath: 'examples/x' };
    const { plan, capsuleId } = await installPlanned(harness, example);
    await applyPlan(harness, plan);
    expect(await outputsOf(harness, capsuleId)).toEqual({ x: 'one' });
    repository.commit({ 'main.tf': root('two') });
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/api/v1/capsules/${capsuleId}/revision-plans`;
    let answer = (await harness.http.post<RevisionPlanAnswer>(path, { ref: 'main' }, headers)).body;
    while (answer.links.reconcile !== undefined)
      answer = (await harness.http.post<RevisionPlanAnswer>(answer.links.reconcile)).body;
    expect(answer.revisionPlan).toMatchObject({ phase: 'reviewable' });
    await applyPlan(harness, await getRun(harness, answer.revisionPlan.planRunId ?? ''));
    expect(await outputsOf(harness, capsuleId)).toEqual({ x: 'two' });
  });
});

describe.skipIf(!hasRealProviders(findTool()))('a module with real providers', () => {
  it('is installed from the mirror, without any registry', async () => {
    const { url } = harness.repository('real', { 'main.tf': real });
    const { plan, capsuleId } = await installPlanned(harness, { url, name: 'real' });
    const apply = await applyPlan(harness, plan);
    expect(apply).toMatchObject({ status: 'succeeded', providerLockDigest: expect.stringMatching(/^sha256:/) });
    expect(await outputsOf(harness, capsuleId)).toEqual({ year: 2026, text: 'now 2026' });
    const { text } = await harness.http.get(`/api/v1/runs/${plan.id}/logs`);
    expect(text).toContain('successfully initialized');
    expect(text).not.toContain('Incomplete lock file');
  });
});

const real = `terraform {
  required_providers {
    time  = { source = "hashicorp/time" }
    local = { source = "hashicorp/local" }
  }
}
resource "time_static" "now" {
  rfc3339 = "2026-01-02T03:04:05Z"
}
resource "local_file" "note" {
  filename = "\${path.module}/made/note.txt"
  content  = "now \${time_static.now.year}"
}
output "year" {
  value = time_static.now.year
}
output "text" {
  value = local_file.note.content
}
`;
