import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlanDocument } from '#shared/plans/document';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import type { RunGroup, RunGroupGraph } from '#shared/run-groups/contract';
import type { Run } from '#shared/runs/contract';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, getCapsule, getRun, installPlanned, logsOf, planAgain, syncSource } from './fixtures/journey.ts';

/* A whole Workspace is planned and compared at once, with the real tool and a server that dies in the middle. */

const producing = (address: string) => `output "address" {\n  value = "${address}"\n}\n`;
const consuming = `variable "address" {
  type    = string
  default = "none"
}
resource "terraform_data" "web" {
  input = var.address
}
`;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

type GroupAnswer = { runGroup: RunGroup; runs: Run[] };
const workspacePath = (rest: string) => `/api/v1/workspaces/${harness.workspaceId}/${rest}`;
const groupOf = async (id: string) => (await harness.http.get<GroupAnswer>(`/api/v1/run-groups/${id}`)).body;

it('plans a producer before its consumers, also over a restart, and compares everything afterwards', async () => {
  const repository = harness.repository('producing', { 'main.tf': producing('one') });
  const producer = await installPlanned(harness, { url: repository.url, name: 'database' });
  await applyPlan(harness, producer.plan);
  const { url } = harness.repository('consuming', { 'main.tf': consuming });
  const consumer = await installPlanned(harness, { url, name: 'web' });
  await harness.http.post(`/api/v1/capsules/${consumer.capsuleId}/dependencies`, {
    producerCapsuleId: producer.capsuleId,
    outputs: { address: { from: 'address', to: 'address' } },
  });
  await applyPlan(harness, await planAgain(harness, consumer.capsuleId));

  const nothing = await harness.http.post<{ error: { message: string; details: object } }>(
    workspacePath('plan-update'),
  );
  expect([nothing.status, nothing.body.error.details]).toEqual([409, { reason: 'nothing_to_update' }]);

  repository.commit({ 'main.tf': producing('two') });
  await syncSource(harness, producer.sourceId);
  expect((await getCapsule(harness, producer.capsuleId)).status).toBe('stale');
  const { status, body, text } = await harness.http.post<GroupAnswer>(workspacePath('plan-update'));
  expect(status, text).toBe(201);
  const graph = JSON.parse(body.runGroup.graphJson) as RunGroupGraph;
  expect(graph.order).toEqual([[producer.capsuleId], [consumer.capsuleId]]);
  await harness.server.kill9();
  await harness.server.restart();
  const [firstId = '', secondId = ''] = body.runs.map(({ id }) => id);
  const first = await settled(harness.server, firstId);
  expect(first).toMatchObject({ status: 'succeeded', awaits: 'apply' });
  expect((await getRun(harness, secondId)).status).toBe('queued');
  expect((await groupOf(body.runGroup.id)).runGroup.status).toBe('waiting_approval');
  await applyPlan(harness, first);
  const second = await settled(harness.server, secondId);
  const { plan } = (await harness.http.get<{ plan: PlanDocument }>(`/api/v1/runs/${secondId}/plan`)).body;
  expect(plan.resources).toMatchObject([{ address: 'terraform_data.web', after: { input: 'two' } }]);
  await applyPlan(harness, second);
  const ended = await Promise.all(body.runs.map(({ id }) => getRun(harness, id)));
  const [firstEnd = '', secondStart = ''] = [ended[0]?.finishedAt, ended[1]?.startedAt];
  expect(Date.parse(secondStart)).toBeGreaterThanOrEqual(Date.parse(firstEnd));
  expect((await groupOf(body.runGroup.id)).runGroup).toMatchObject({ status: 'succeeded', type: 'workspace_update' });

  const drift = await harness.http.post<GroupAnswer>(workspacePath('drift-check'), { limit: 10 });
  expect(drift.status, drift.text).toBe(201);
  const checks = await Promise.all(drift.body.runs.map(({ id }) => settled(harness.server, id)));
  for (const check of checks)
    expect(check, JSON.stringify((await logsOf(harness, check.id)).diagnostics)).toMatchObject({
      type: 'drift_check',
      status: 'succeeded',
      driftCount: 0,
    });
  expect(checks).toHaveLength(2);
  const { usageEvents } = (
    await harness.http.get<{ usageEvents: { runId: string; kind: string }[] }>(workspacePath('usage'))
  ).body;
  expect(usageEvents.map(({ runId }) => runId)).toEqual(expect.arrayContaining(checks.map(({ id }) => id)));
});

it('updates a Capsule to a tag step by step, up to a plan that leaves the Source as it was', async () => {
  const repository = harness.repository('tagged', { 'main.tf': producing('first') });
  const { capsuleId, sourceId, plan } = await installPlanned(harness, { url: repository.url, name: 'tagged' });
  await applyPlan(harness, plan);
  repository.commit({ 'main.tf': producing('second') });
  repository.git('tag', 'v2.0.0');
  const key = { 'idempotency-key': randomUUID() };
  const response = await harness.http.post<RevisionPlanAnswer>(
    `/api/v1/capsules/${capsuleId}/revision-plans`,
    { ref: 'v2.0.0' },
    key,
  );
  expect(response.status, response.text).toBe(201);
  const self = response.body.links.self;
  let answer = response.body;
  while (answer.nextAction === 'reconcile')
    answer = (await harness.http.post<RevisionPlanAnswer>(`${self}/reconcile`)).body;
  expect(answer).toMatchObject({ nextAction: 'review_run', revisionPlan: { phase: 'reviewable' } });
  const reviewed = await getRun(harness, answer.revisionPlan.planRunId ?? '');
  expect(await applyPlan(harness, reviewed)).toMatchObject({ status: 'succeeded' });
  expect((await getCapsule(harness, capsuleId)).adoptedSourceRevision).toMatchObject({ ref: 'v2.0.0' });
  const { source } = (await harness.http.get<{ source: { defaultRef: string } }>(`/api/v1/sources/${sourceId}`)).body;
  expect(source.defaultRef).toBe('main');
});
