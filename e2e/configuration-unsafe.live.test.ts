import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import type { Run } from '#shared/runs/contract';
import { settled } from './fixtures/feed.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import { applyPlan, getCapsule, getRun, installPlanned, planAgain } from './fixtures/journey.ts';

/* A first apply that failed because of its input: a change of inputs is refused, and these ways lead out. */

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

const moduleOf = (variable: string, condition = 'test -e $FILE'): string => `variable "file" {
  type = string
  ${variable}
}
resource "terraform_data" "check" {
  input = var.file
  provisioner "local-exec" {
    command     = "${condition}"
    environment = { FILE = var.file }
  }
}
output "file" {
  value = terraform_data.check.output
}
`;

let count = 0;
type Failed = { capsuleId: string; repository: HarnessRepository; url: string; name: string };
/** A Capsule whose first apply failed, because the file that its input names does not exist. */
async function failedByInput(variable = '', variables?: { file: string }): Promise<Failed> {
  count += 1;
  const name = `unsafe-${count}`;
  const repository = harness.repository(name, { 'main.tf': moduleOf(variable) });
  const { capsuleId, plan } = await installPlanned(harness, {
    url: repository.url,
    name,
    ...(variables && { variables }),
  });
  expect(await applyPlan(harness, plan)).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
  expect(await getCapsule(harness, capsuleId)).toMatchObject({ runtimeSafety: 'unknown' });
  return { capsuleId, repository, url: repository.url, name };
}

const configurationOf = async (capsuleId: string): Promise<CapsuleConfiguration> =>
  (await harness.http.get<{ configuration: CapsuleConfiguration }>(`/api/v1/capsules/${capsuleId}/configuration`)).body
    .configuration;
const refusalOf = async (capsuleId: string) => (await configurationOf(capsuleId)).change.refusal?.code;

/** Updates the Capsule to the newest commit of its ref and applies the plan. */
async function applyNewest(capsuleId: string): Promise<Run> {
  const key = { 'idempotency-key': randomUUID() };
  let { body } = await harness.http.post<RevisionPlanAnswer>(
    `/api/v1/capsules/${capsuleId}/revision-plans`,
    { ref: 'main' },
    key,
  );
  while (body.nextAction === 'reconcile')
    ({ body } = await harness.http.post<RevisionPlanAnswer>(
      `/api/v1/revision-plans/${body.revisionPlan.id}/reconcile`,
    ));
  return applyPlan(harness, await getRun(harness, body.revisionPlan.planRunId ?? ''));
}

describe('a Capsule whose first apply failed because of its input', () => {
  it('refuses a change of inputs and says so before', async () => {
    const { capsuleId } = await failedByInput('', { file: 'missing' });
    const { change, providerBindings } = await configurationOf(capsuleId);
    expect(change.refusal?.code).toBe('capsule_runtime_unsafe');
    const answer = await harness.http.post<{ error: { details: { reason: string } } }>(
      `/api/v1/capsules/${capsuleId}/configuration-plans`,
      {
        variablePatch: { set: { file: 'main.tf' }, remove: [] },
        providerBindings,
        interfaceBlueprints: [],
        expected: { authorityGuard: change.authorityGuard },
      },
      { 'idempotency-key': randomUUID() },
    );
    expect([answer.status, answer.body.error.details.reason]).toEqual([409, 'capsule_runtime_unsafe']);
  });

  it('fails again when it is planned and applied unchanged, until the cause outside is repaired', async () => {
    const { capsuleId } = await failedByInput('', { file: 'missing' });
    expect(await applyPlan(harness, await planAgain(harness, capsuleId))).toMatchObject({ status: 'failed' });
    expect(await refusalOf(capsuleId)).toBe('capsule_runtime_unsafe');
    writeFileSync(path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'missing'), '');
    expect(await applyPlan(harness, await planAgain(harness, capsuleId))).toMatchObject({ status: 'succeeded' });
    expect(await refusalOf(capsuleId)).toBeUndefined();
  });

  it('is repaired by a commit with another default when the input has no value of its own', async () => {
    const { capsuleId, repository } = await failedByInput('default = "missing"');
    repository.commit({ 'main.tf': moduleOf('default = "main.tf"') });
    expect(await applyNewest(capsuleId)).toMatchObject({ status: 'succeeded' });
    expect(await refusalOf(capsuleId)).toBeUndefined();
  });

  it('is not repaired by another default when the input has a value of its own, but by a commit that accepts the value', async () => {
    const { capsuleId, repository } = await failedByInput('default = "missing"', { file: 'missing too' });
    repository.commit({ 'main.tf': moduleOf('default = "main.tf"') });
    expect(await applyNewest(capsuleId)).toMatchObject({ status: 'failed' });
    expect(await refusalOf(capsuleId)).toBe('capsule_runtime_unsafe');
    repository.commit({ 'main.tf': moduleOf('default = "main.tf"', 'true') });
    expect(await applyNewest(capsuleId)).toMatchObject({ status: 'succeeded' });
    expect(await refusalOf(capsuleId)).toBeUndefined();
  });

  it('can be destroyed, and the module installed again with another value under the same name', async () => {
    const { capsuleId, url, name } = await failedByInput('', { file: 'missing' });
    const { body } = await harness.http.post<{ run: Run }>(`/api/v1/capsules/${capsuleId}/destroy-plan`, {});
    const plan = await settled(harness.server, body.run.id);
    expect(await applyPlan(harness, plan)).toMatchObject({ status: 'succeeded' });
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'destroyed' });
    const again = await installPlanned(harness, { url, name, variables: { file: 'main.tf' } });
    expect(await applyPlan(harness, again.plan)).toMatchObject({ status: 'succeeded' });
    expect(await getCapsule(harness, again.capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  });
});
