import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RevisionPlanAnswer } from '#shared/coordinators/revision';
import type { PlanDocument } from '#shared/deploys/plan';
import type { RunGroup, RunGroupGraph } from '#shared/groups/contract';
import type { Run } from '#shared/runs/contract';
import { settled } from './fixtures/feed.ts';
import { type Ground, startGround } from './fixtures/ground.ts';
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

let ground: Ground;
beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground?.stop());

type GroupAnswer = { runGroup: RunGroup; runs: Run[] };
const workspacePath = (rest: string) => `/api/v1/workspaces/${ground.workspaceId}/${rest}`;
const groupOf = async (id: string) => (await ground.http.get<GroupAnswer>(`/api/v1/run-groups/${id}`)).body;

it('plans a producer before its consumers, also over a restart, and compares everything afterwards', async () => {
  const repository = ground.repository('producing', { 'main.tf': producing('one') });
  const producer = await installPlanned(ground, { url: repository.url, name: 'database' });
  await applyPlan(ground, producer.plan);
  const { url } = ground.repository('consuming', { 'main.tf': consuming });
  const consumer = await installPlanned(ground, { url, name: 'web' });
  await ground.http.post(`/api/v1/capsules/${consumer.capsuleId}/dependencies`, {
    producerCapsuleId: producer.capsuleId,
    outputs: { address: { from: 'address', to: 'address' } },
  });
  await applyPlan(ground, await planAgain(ground, consumer.capsuleId));

  const nothing = await ground.http.post<{ error: { message: string; details: object } }>(workspacePath('plan-update'));
  expect([nothing.status, nothing.body.error.details]).toEqual([409, { reason: 'nothing_to_update' }]);

  repository.commit({ 'main.tf': producing('two') });
  await syncSource(ground, producer.sourceId);
  expect((await getCapsule(ground, producer.capsuleId)).status).toBe('stale');
  const { status, body, text } = await ground.http.post<GroupAnswer>(workspacePath('plan-update'));
  expect(status, text).toBe(201);
  const graph = JSON.parse(body.runGroup.graphJson) as RunGroupGraph;
  expect(graph.order).toEqual([[producer.capsuleId], [consumer.capsuleId]]);
  await ground.server.kill9();
  await ground.server.restart();
  const [firstId = '', secondId = ''] = body.runs.map(({ id }) => id);
  const first = await settled(ground.server, firstId);
  expect(first).toMatchObject({ status: 'succeeded', awaits: 'apply' });
  expect((await getRun(ground, secondId)).status).toBe('queued');
  expect((await groupOf(body.runGroup.id)).runGroup.status).toBe('waiting_approval');
  await applyPlan(ground, first);
  const second = await settled(ground.server, secondId);
  const { plan } = (await ground.http.get<{ plan: PlanDocument }>(`/api/v1/runs/${secondId}/plan`)).body;
  expect(plan.resources).toMatchObject([{ address: 'terraform_data.web', after: { input: 'two' } }]);
  await applyPlan(ground, second);
  const ended = await Promise.all(body.runs.map(({ id }) => getRun(ground, id)));
  const [firstEnd = '', secondStart = ''] = [ended[0]?.finishedAt, ended[1]?.startedAt];
  expect(Date.parse(secondStart)).toBeGreaterThanOrEqual(Date.parse(firstEnd));
  expect((await groupOf(body.runGroup.id)).runGroup).toMatchObject({ status: 'succeeded', type: 'workspace_update' });

  const drift = await ground.http.post<GroupAnswer>(workspacePath('drift-check'), { limit: 10 });
  expect(drift.status, drift.text).toBe(201);
  const checks = await Promise.all(drift.body.runs.map(({ id }) => settled(ground.server, id)));
  for (const check of checks)
    expect(check, JSON.stringify((await logsOf(ground, check.id)).diagnostics)).toMatchObject({
      type: 'drift_check',
      status: 'succeeded',
      driftCount: 0,
    });
  expect(checks).toHaveLength(2);
  const { usageEvents } = (
    await ground.http.get<{ usageEvents: { runId: string; kind: string }[] }>(workspacePath('usage'))
  ).body;
  expect(usageEvents.map(({ runId }) => runId)).toEqual(expect.arrayContaining(checks.map(({ id }) => id)));
});

it('updates a Capsule to a tag step by step, up to a plan that leaves the Source as it was', async () => {
  const repository = ground.repository('tagged', { 'main.tf': producing('first') });
  const { capsuleId, sourceId, plan } = await installPlanned(ground, { url: repository.url, name: 'tagged' });
  await applyPlan(ground, plan);
  repository.commit({ 'main.tf': producing('second') });
  repository.git('tag', 'v2.0.0');
  const key = { 'idempotency-key': randomUUID() };
  const asked = await ground.http.post<RevisionPlanAnswer>(
    `/api/v1/capsules/${capsuleId}/revision-plans`,
    { ref: 'v2.0.0' },
    key,
  );
  expect(asked.status, asked.text).toBe(201);
  const self = asked.body.links.self;
  let answer = asked.body;
  while (answer.nextAction === 'reconcile')
    answer = (await ground.http.post<RevisionPlanAnswer>(`${self}/reconcile`)).body;
  expect(answer).toMatchObject({ nextAction: 'review_run', revisionPlan: { phase: 'reviewable' } });
  const reviewed = await getRun(ground, answer.revisionPlan.planRunId ?? '');
  expect(await applyPlan(ground, reviewed)).toMatchObject({ status: 'succeeded' });
  expect((await getCapsule(ground, capsuleId)).adoptedSourceRevision).toMatchObject({ ref: 'v2.0.0' });
  const { source } = (await ground.http.get<{ source: { defaultRef: string } }>(`/api/v1/sources/${sourceId}`)).body;
  expect(source.defaultRef).toBe('main');
});
