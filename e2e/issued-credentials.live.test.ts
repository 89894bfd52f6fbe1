import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintedCanary, serviceToken, wrongAnswers } from '../server/test/credential-service.ts';
import { canaryOf, findCanaries, searchFolder } from './fixtures/canary.ts';
import { readFeed, readUntil, resourceIs, settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { type IssuedCredentials, issueCredentials, planIssued } from './fixtures/issued-credentials.ts';
import { applyPlan, errorsOf, outputsOf, planAgain, startApply } from './fixtures/journey.ts';
import { thing } from './fixtures/modules.ts';

/** A module that discloses its credential in the plan, the log, the state and its Outputs. */
const leaks = `terraform {
  required_providers {
    fake = { source = "test/fake" }
  }
}
data "fake_whoami" "me" {
  reveal = true
}
locals {
  s = data.fake_whoami.me.token
}
resource "terraform_data" "discloses" {
  input = { plain = local.s, (local.s) = "as a key" }
  provisioner "local-exec" {
    environment = { S = local.s }
    command     = <<-SH
      printf '%s\\n' "$S"; printf '%s\\n' "$S" >&2; printf %s "$S" | base64; env
    SH
  }
}
output "title" {
  value = "Shown"
}
output "plain" {
  value = local.s
}
${thing('held', 'gate = "open"')}`;

let harness: Harness;
let issued: IssuedCredentials;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  issued = await issueCredentials(harness);
});
afterAll(async () => {
  await harness?.stop();
  await issued?.service.close();
});

const planned = (name: string, main: string) => planIssued(harness, issued, { name, main });

/** No file, answer, stream or log contains a credential or the token of the service. */
async function expectNothingLeaked(runIds: readonly string[]): Promise<void> {
  const { http, server } = harness;
  const secrets = [serviceToken, ...[...issued.service.issued.keys()].map(mintedCanary)];
  const canaries = secrets.map((secret) => canaryOf(secret, secret));
  const routes = runIds.flatMap((id) => ['', '/plan', '/logs', '/events'].map((at) => `/api/v1/runs/${id}${at}`));
  for (const route of [...routes, `/api/v1/workspaces/${harness.workspaceId}/activity`]) await http.get(route);
  for (const id of runIds)
    for await (const event of readFeed(server, id))
      expect(findCanaries('the stream', JSON.stringify(event), canaries)).toEqual([]);
  const { hits } = searchFolder(server.dataDir, canaries, ['providers', 'credential-services']);
  expect(hits).toEqual([]);
  expect(http.responseTexts.flatMap((text) => findCanaries('an answer', text, canaries))).toEqual([]);
  expect(findCanaries('the log of the server', server.log(), canaries)).toEqual([]);
}
const allRevoked = () =>
  expect.poll(() => issued.service.revoked.toSorted()).toEqual([...issued.service.issued.values()].toSorted());

describe('credentials that a service issues to each Run', () => {
  it('are used by the provider, shown nowhere, and revoked; a plan that was reviewed stays applicable', async () => {
    const { capsuleId, plan } = await planned('leaks', leaks.replace('gate = "open"', ''));
    expect(plan).toMatchObject({ status: 'succeeded' });
    await allRevoked();
    const apply = await applyPlan(harness, plan);
    expect(apply).toMatchObject({ status: 'succeeded' });
    expect(await outputsOf(harness, capsuleId)).toEqual({ title: 'Shown' });
    await allRevoked();
    expect([...issued.service.issued.keys()]).toEqual([`${plan.id}:plan`, `${apply.id}:apply`]);
    const logs = await harness.http.get(`/api/v1/runs/${apply.id}/logs`, { accept: 'text/plain' });
    expect(logs.text.match(/\[redacted\]/g)?.length).toBeGreaterThan(3);
    // The state contains the credential of an earlier Run.
    const next = await planAgain(harness, capsuleId);
    expect(next.status).not.toBe('failed');
    await allRevoked();
    await expectNothingLeaked([plan.id, apply.id, next.id]);
  });

  it('are revoked after an apply that a person interrupts', async () => {
    const { plan } = await planned('held', leaks);
    const apply = await startApply(harness, plan);
    await readUntil(harness.server, apply.id, resourceIs('fake_thing.held', 'started'));
    await harness.http.post(`/api/v1/runs/${apply.id}/cancel`, { interrupt: true });
    expect(await settled(harness.server, apply.id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' });
    await allRevoked();
    await expectNothingLeaked([plan.id, apply.id]);
  });

  it('that are refused end the Run with a sentence, and the next plan works when they are not', async () => {
    const { capsuleId, plan } = await planned('refused', leaks.replace('gate = "open"', ''));
    issued.service.post = wrongAnswers.refuses;
    const apply = await settled(harness.server, (await startApply(harness, plan)).id);
    expect(apply).toMatchObject({ status: 'failed', errorCode: 'credential_mint_failed' });
    const [error] = await errorsOf(harness, apply.id);
    expect(error?.message).toMatch(/^The credential service of the Connection bound to fake refused .*[.]$/);
    issued.service.post = undefined;
    expect(await planAgain(harness, capsuleId)).toMatchObject({ status: 'succeeded' });
    await allRevoked();
    await expectNothingLeaked([plan.id, apply.id]);
  });
});
