import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { Run } from '#shared/runs/contract';
import { type Canary, canaryOf, findCanaries, searchFolder } from './fixtures/canary.ts';
import { readFeed, readUntil, resourceIs, settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, getRun, outputsOf, reconcile, startApply } from './fixtures/journey.ts';
import { thing } from './fixtures/modules.ts';

/** A module that discloses the credentials of its provider wherever the API could show them. */
const head = `terraform {
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
`;
const leaks = `${head}
resource "terraform_data" "discloses" {
  input = { plain = local.s, inside = ["see \${local.s}"], (local.s) = "as a key" }
  provisioner "local-exec" {
    environment = { S = local.s }
    command     = <<-SH
      printf '%s\\n' "$S"; printf '%s\\n' "$S" >&2; printf %s "$S" | base64
      printf '%s' "$S" | head -c 14; sleep 0.3; printf '%s' "$S" | tail -c +15; echo
    SH
  }
}
resource "terraform_data" "each" {
  for_each = toset([local.s])
}
check "disclosed" {
  assert {
    condition     = local.s == ""
    error_message = "It is \${local.s}, \${base64encode(local.s)}, \${urlencode(local.s)}."
  }
}
output "title" {
  value = "Shown"
}
output "plain" {
  value = local.s
}
output "inside" {
  value = { list = ["x\${local.s}y"], more = 1 }
}
output "base64" {
  value = base64encode("aa\${local.s}")
}
output "escaped" {
  value = jsonencode({ a = local.s })
}
`;
const refused = `${head}${thing('good')}resource "fake_thing" "bad" {\n  name       = "bad"\n  fail       = "tell"\n  depends_on = [fake_thing.good]\n}\n`;
const held = `${head}${thing('held', 'gate = "open"')}resource "terraform_data" "each" {\n  for_each = toset([local.s])\n}\noutput "plain" {\n  value = local.s\n}\n`;

const random = () => randomBytes(15).toString('base64url');
const inFile = { id: `id-${random()}`, key: `key-${random()}-${random()}` };
const inEnv = `tok "${random()}" <&> ${random()}`;
const canaries: Canary[] = [
  canaryOf('the id in the file', inFile.id),
  canaryOf('the key in the file', inFile.key),
  canaryOf('the token in the environment', inEnv),
];

let harness: Harness;
const connections = { file: '', env: '' };
const runs: string[] = [];
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  const document = JSON.stringify({ private_key_id: inFile.id, private_key: inFile.key }, null, 2);
  const files = [{ path: 'fake/key.json', content: document, envName: 'FAKE_TOKEN_FILE' }];
  connections.file = await connect('file', { values: {}, files });
  connections.env = await connect('env', { values: { FAKE_TOKEN: inEnv } });
});
afterAll(() => harness?.stop());

async function connect(authMode: string, input: object): Promise<string> {
  const { body, text } = await harness.http.post<{ connection?: { id: string } }>('/api/v1/connections', {
    workspaceId: harness.workspaceId,
    provider: 'test/fake',
    credentialRecipe: { id: 'generic-env', authMode },
    ...input,
  });
  if (!body.connection) throw new Error(text);
  return body.connection.id;
}

/** Creates a Source and a Connection, and returns a plan that can be reviewed. */
async function planned(name: string, main: string, connectionId: string): Promise<{ capsuleId: string; plan: Run }> {
  const { url, commit } = harness.repository(name, {});
  const ref = commit({ 'main.tf': main });
  const body = {
    source: { name, url, ref, path: '.' },
    capsule: { name, environment: 'default' },
    options: { providerBindings: [{ provider: 'test/fake', moduleLocalName: 'fake', connectionId }] },
  };
  const at = `/api/v1/workspaces/${harness.workspaceId}/install-plans`;
  const answer = await harness.http.post<InstallPlanAnswer>(at, body, { 'idempotency-key': randomUUID() });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  const { phase, diagnostic, capsuleId = '', planRunId = '' } = await reconcile(harness, answer.body.installPlan.id);
  expect([phase, diagnostic]).toEqual(['reviewable', undefined]);
  runs.push(planRunId);
  return { capsuleId, plan: await getRun(harness, planRunId) };
}

/** Every response about a Run and its Capsule, as the client received them. */
async function requestCapsuleRoutes(capsuleId: string): Promise<void> {
  const { http, workspaceId, server } = harness;
  const ofRun = runs.flatMap((id) => [`/runs/${id}`, `/runs/${id}/plan`, `/runs/${id}/logs`, `/runs/${id}/events`]);
  const ofCapsule = ['', '/outputs', '/state-versions', '/provider-bindings'].map(
    (at) => `/capsules/${capsuleId}${at}`,
  );
  const lists = ['runs', 'capsules', 'activity', 'current-state-versions'].map(
    (at) => `/workspaces/${workspaceId}/${at}`,
  );
  for (const at of [...ofRun, ...ofCapsule, ...lists]) {
    const { status } = await http.get(`/api/v1${at}`);
    // A Run that is not a plan has none.
    if (!at.endsWith('/plan')) expect([at, status]).toEqual([at, 200]);
  }
  for (const id of runs)
    for await (const event of readFeed(server, id))
      expect(findCanaries('the stream', JSON.stringify(event), canaries)).toEqual([]);
}
const nothingIsLeft = (): void => {
  const { server, http } = harness;
  expect(searchFolder(server.dataDir, canaries, ['providers']).hits).toEqual([]);
  expect(http.responseTexts.flatMap((text) => findCanaries(`an answer: ${text.slice(0, 60)}`, text, canaries))).toEqual(
    [],
  );
  expect(findCanaries('the log of the server', server.log(), canaries)).toEqual([]);
};

describe('a module that discloses the credentials of its Connection', () => {
  it('shows none of them in a response, a stream, a file or the log, and Outputs that contain one stay private', async () => {
    const { capsuleId, plan } = await planned('leaks', leaks, connections.file);
    const apply = await applyPlan(harness, plan);
    runs.push(apply.id);
    expect(apply).toMatchObject({ status: 'succeeded' });
    expect(await outputsOf(harness, capsuleId)).toEqual({ title: 'Shown' });
    await requestCapsuleRoutes(capsuleId);
    const logs = await harness.http.get(`/api/v1/runs/${apply.id}/logs`, { accept: 'text/plain' });
    expect(logs.text.match(/\[redacted\]/g)?.length).toBeGreaterThan(5);
    nothingIsLeft();
  });

  it('reports the error of a provider without the token in it', async () => {
    const { capsuleId, plan } = await planned('refused', refused, connections.env);
    const apply = await startApply(harness, plan);
    runs.push(apply.id);
    expect(await settled(harness.server, apply.id)).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
    await requestCapsuleRoutes(capsuleId);
    expect(harness.http.responseTexts.some((text) => text.includes('It was refused for [redacted]'))).toBe(true);
    nothingIsLeft();
  });

  it('leaves none of them in the records of an apply whose server, supervisor and tool all died', async () => {
    const { server } = harness;
    const { capsuleId, plan } = await planned('held', held, connections.env);
    const apply = await startApply(harness, plan);
    runs.push(apply.id);
    await readUntil(server, apply.id, resourceIs('fake_thing.held', 'started'));
    await server.kill9();
    endProcessesOf(path.join(server.dataDir, 'capsules', capsuleId));
    nothingIsLeft();
    await server.restart();
    expect(await settled(server, apply.id)).toMatchObject({ status: 'failed' });
    await requestCapsuleRoutes(capsuleId);
    expect(await outputsOf(harness, capsuleId)).toEqual({});
    nothingIsLeft();
    expect(existsSync(path.join(server.dataDir, 'capsules', capsuleId, 'owner.json'))).toBe(false);
  });
});

/** Kills the supervisor and the tool that the folder of a Capsule names. */
function endProcessesOf(capsuleDir: string): void {
  expect(readdirSync(capsuleDir)).toContain('owner.json');
  const { supervisor, tool } = JSON.parse(readFileSync(path.join(capsuleDir, 'owner.json'), 'utf8')) as {
    supervisor: { pid: number };
    tool: { identity: { pid: number } };
  };
  for (const { pid } of [supervisor, tool.identity]) process.kill(pid, 'SIGKILL');
}
