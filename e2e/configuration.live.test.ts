import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigurationPlanAnswer } from '#shared/configuration-plans/api';
import type { Json } from '#shared/kernel/json';
import type { Changed } from '#shared/workspaces/changes';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import type { Answer } from './fixtures/http.ts';
import { applyPlan, errorsOf, getRun, install, outputsOf, stateVersions } from './fixtures/journey.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

const module = `variable "seats" {
  type = number
  validation {
    condition     = var.seats > 0
    error_message = "There has to be a seat."
  }
}
variable "title" {
  type    = string
  default = "Untitled"
}
variable "pin" {
  type      = string
  sensitive = true
}
resource "terraform_data" "seat" {
  count = var.seats
  input = "\${var.title} \${count.index}"
}
output "seats" {
  value = [for seat in terraform_data.seat : seat.output]
}
output "pin_length" {
  value = nonsensitive(length(var.pin))
}
`;

async function configure(capsuleId: string, set: { [name: string]: Json }, remove: string[] = []) {
  type Guarded = { installConfigReAdoption: { authorityGuard: string } };
  const { body } = await harness.http.get<Guarded>(`/api/v1/capsules/${capsuleId}`);
  return harness.http.post<ConfigurationPlanAnswer>(
    `/api/v1/capsules/${capsuleId}/configuration-plans`,
    {
      variablePatch: { set, remove },
      providerBindings: [],
      interfaceBlueprints: [],
      expected: body.installConfigReAdoption,
    },
    { 'idempotency-key': randomUUID() },
  );
}
const plannedBy = ({ body }: Answer<ConfigurationPlanAnswer>) =>
  settled(harness.server, body.configurationPlan.planRunId);

/** Returns the records that the stream of the Workspace reports, until `isEnd` is among them. */
async function changesUntil(isEnd: (changed: Changed) => boolean, work: () => Promise<unknown>): Promise<Changed[]> {
  const gone = new AbortController();
  const { server, workspaceId } = harness;
  const answer = await fetch(`${server.url}/api/v1/workspaces/${workspaceId}/events`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: gone.signal,
  });
  const working = work();
  const changes: Changed[] = [];
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    const data = blocks.filter((block) => block.includes('event: changed')).map((block) => /^data: (.*)$/m.exec(block));
    changes.push(...data.map((line) => JSON.parse(line?.[1] ?? '') as Changed));
    if (changes.some(isEnd)) break;
  }
  gone.abort();
  await working;
  return changes;
}

describe('a module whose first plan fails', () => {
  let capsuleId = '';

  it('is planned again with other values, and keeps its secrets', async () => {
    const { url } = harness.repository('seats', { 'main.tf': module });
    const failed = await install(harness, { url, name: 'seats', variables: { seats: 0, pin: 'pin-4711' } });
    expect([failed.phase, failed.diagnostic?.code]).toEqual(['failed', 'plan_run_failed']);
    const [error] = await errorsOf(harness, failed.planRunId ?? '');
    expect(error).toMatchObject({ variable: 'seats' });
    capsuleId = failed.capsuleId ?? '';
    const answer = await configure(capsuleId, { seats: 2 });
    expect([answer.status, answer.body.configurationPlan?.sourceSnapshotId]).toEqual([201, failed.sourceSnapshotId]);
    const plan = await plannedBy(answer);
    expect([plan.status, plan.summary]).toEqual(['succeeded', { add: 2, change: 0, destroy: 0 }]);
    const apply = await applyPlan(harness, plan);
    expect([apply.status, await outputsOf(harness, capsuleId)]).toEqual([
      'succeeded',
      { seats: ['Untitled 0', 'Untitled 1'], pin_length: 8 },
    ]);
    expect(harness.http.responseTexts.filter((text) => text.includes('pin-4711'))).toEqual([]);
  });

  it('and was applied since, is changed the same way, including its secrets', async () => {
    const overtaken = await plannedBy(await configure(capsuleId, { seats: 3 }));
    const plan = await plannedBy(await configure(capsuleId, { title: 'Front', pin: 'a longer pin' }));
    expect(plan.summary).toEqual({ add: 1, change: 2, destroy: 0 });
    const { superseded } = await getRun(harness, overtaken.id);
    expect(superseded?.reason).toBe('authority_epoch');
    const refused = await harness.http.post<{ error: { details: { reason: string } } }>(
      `/api/v1/runs/${overtaken.id}/apply`,
    );
    expect([refused.status, refused.body.error.details.reason]).toEqual([409, 'plan_superseded']);
    await applyPlan(harness, plan);
    expect(await outputsOf(harness, capsuleId)).toEqual({ seats: ['Front 0', 'Front 1', 'Front 2'], pin_length: 12 });
    expect(await stateVersions(harness, capsuleId)).toHaveLength(2);
  });

  it('reports each step to the Workspace once, and not every resource', async () => {
    const plan = await plannedBy(await configure(capsuleId, { seats: 60 }));
    const changes = await changesUntil(
      ({ kind, status }) => kind === 'run' && status === 'succeeded',
      () => applyPlan(harness, plan),
    );
    const kinds = new Set(changes.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['run', 'capsule', 'state_version']));
    expect(changes.length).toBeLessThan(10);
    expect(changes.find(({ kind }) => kind === 'capsule')).toMatchObject({ id: capsuleId, status: 'active' });
  });
});
