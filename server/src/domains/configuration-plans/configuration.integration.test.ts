import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { Json } from '#shared/kernel/json';
import { awsBody } from '../../../test/connection-bodies.ts';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { holdCapsule, resealConfig, seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { text } from '../../../test/manifest-server.ts';

const provider = `terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
`;
const module = `variable "title" { type = string }
variable "seats" {
  type        = number
  default     = 2
  description = "Chairs in the room"
}
variable "pin" {
  type      = string
  default   = ""
  sensitive = true
}
variable "region" {
  type    = string
  default = "nowhere"
}
variable "upstream" {
  type    = string
  default = "none"
}
variable "now" {
  type    = any
  default = 1 + 1
}
`;
const canary = 'Correct-horse-canary-77';
let server: TestServer;
let git: GitHost;
let cloudCommit: string;
const toolDir = tempDir();
beforeAll(async () => {
  // Reports its version and cannot plan, so that every plan fails and the Capsule is unchanged.
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  git.repository('shop', { 'main.tf': module });
  cloudCommit = git.repository('cloud').commit({ 'main.tf': provider + module });
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

let count = 0;
const nextKey = () => {
  count += 1;
  return { 'idempotency-key': `key ${count}` };
};
async function install(more: Partial<CreateInstallPlan> = {}): Promise<string> {
  const key = nextKey();
  const body = {
    source: { name: 'Modules', url: git.url('shop'), ref: 'main', path: '.' },
    capsule: { name: `Shop ${count}`, environment: 'test' },
    variables: { title: 'Books' },
    ...more,
  };
  const created = await server.api.createInstallPlan({ params: { workspaceId: server.workspaceId }, body }, key);
  const plan = { params: { installPlanId: created.body.installPlan.id } };
  for (;;) {
    const { installPlan } = (await server.api.reconcileInstallPlan(plan)).body;
    if (installPlan.phase !== 'failed') continue;
    if (installPlan.capsuleId !== undefined) return installPlan.capsuleId;
    throw new Error(JSON.stringify(installPlan.diagnostic));
  }
}
const read = async (capsuleId: string, api = server.api): Promise<CapsuleConfiguration> =>
  (await api.getConfiguration({ params: { capsuleId } })).body.configuration;
function inputOf({ inputs }: CapsuleConfiguration, name: string) {
  const input = inputs.find((one) => one.name === name);
  if (!input) throw new Error(`There is no input "${name}".`);
  return input;
}
const valueAndOrigin = (configuration: CapsuleConfiguration, name: string) => {
  const { value, origin } = inputOf(configuration, name);
  return [value, origin];
};
async function configure(capsuleId: string, set: { [name: string]: Json }, remove: string[] = []) {
  const { change, providerBindings } = await read(capsuleId);
  const body = {
    variablePatch: { set, remove },
    providerBindings,
    interfaceBlueprints: [],
    expected: { authorityGuard: change.authorityGuard },
  };
  const { configurationPlan } = (await server.api.planConfiguration({ params: { capsuleId }, body }, nextKey())).body;
  await server.ended(configurationPlan.planRunId);
  return configurationPlan;
}
const shown = (value: Json) => ({ status: 'shown', value });
const change = (statement: string, ...values: unknown[]) =>
  server.ledger((db) => db.sqlite.prepare(statement).run(...values));

describe('the configuration of a Capsule', () => {
  it('lists declared variables with defaults, installation values and what a change needs', async () => {
    const configuration = await read(await install());
    expect(configuration.inputs.map(({ name }) => name)).toEqual([
      'title',
      'seats',
      'pin',
      'region',
      'upstream',
      'now',
    ]);
    expect(inputOf(configuration, 'title')).toMatchObject({
      required: true,
      secret: false,
      changeable: true,
      configured: true,
      declaration: { typeText: 'string' },
      value: shown('Books'),
      origin: { kind: 'set', by: 'installation', accountId: server.subject, at: expect.any(String) },
    });
    expect(inputOf(configuration, 'seats')).toMatchObject({
      required: false,
      declaration: { description: 'Chairs in the room', default: 2 },
    });
    expect(valueAndOrigin(configuration, 'seats')).toEqual([shown(2), { kind: 'module_default' }]);
    expect(valueAndOrigin(configuration, 'pin')).toEqual([{ status: 'hidden' }, { kind: 'module_default' }]);
    expect(valueAndOrigin(configuration, 'now')).toEqual([{ status: 'unknown' }, { kind: 'module_default' }]);
    expect(configuration.change).toEqual({ authorityGuard: expect.stringMatching(/^sha256:/) });
    expect(configuration.providerRequirements).toEqual([]);
  });

  it('names the change that a value is from, also after later changes of other values', async () => {
    const capsuleId = await install({ variables: { title: 'Books', seats: 1 } });
    await configure(capsuleId, { seats: 5 });
    await configure(capsuleId, { title: 'Films' });
    const last = await configure(capsuleId, { seats: 6 });
    await configure(capsuleId, { region: 'x' });
    await configure(capsuleId, { title: 'Films' });
    const configuration = await read(capsuleId);
    expect(valueAndOrigin(configuration, 'seats')).toMatchObject([
      shown(6),
      { kind: 'set', by: 'configuration_plan', accountId: server.subject, runId: last.planRunId },
    ]);
    expect(inputOf(configuration, 'title').origin).not.toMatchObject({ runId: last.planRunId });
    await configure(capsuleId, {}, ['seats']);
    expect(valueAndOrigin(await read(capsuleId), 'seats')).toEqual([shown(2), { kind: 'module_default' }]);
    const again = await configure(capsuleId, { seats: 6 });
    expect(inputOf(await read(capsuleId), 'seats').origin).toMatchObject({ runId: again.planRunId });
  });

  it('never returns a secret, and names who set it and when', async () => {
    const capsuleId = await install({ variables: { title: canary }, secretVariables: ['title'] });
    const set = await configure(capsuleId, { pin: `${canary}-2` });
    await configure(capsuleId, { seats: 3 });
    const answer = await server.request('GET', `/api/v1/capsules/${capsuleId}/configuration`);
    expect(answer.text).not.toContain(canary);
    expect(answer.text).not.toMatch(/requestDigest|receipt|provenance/);
    const { configuration } = answer.json as { configuration: CapsuleConfiguration };
    expect(inputOf(configuration, 'title')).toMatchObject({
      secret: true,
      value: { status: 'hidden' },
      origin: { kind: 'set', by: 'installation' },
    });
    expect(inputOf(configuration, 'pin')).toMatchObject({
      secret: true,
      value: { status: 'hidden' },
      origin: { kind: 'set', by: 'configuration_plan', runId: set.planRunId, accountId: server.subject },
    });
  });

  it('shows the default of a bound Connection unless the configuration has a value', async () => {
    const scopeHints = { moduleInputDefaults: { region: 'eu-central-1' } };
    const { connection } = (
      await server.api.createConnection({ body: awsBody(server.workspaceId, { scopeHints }) as never })
    ).body;
    const binding = {
      provider: 'registry.terraform.io/hashicorp/aws',
      moduleLocalName: 'aws',
      connectionId: connection.id,
    };
    const capsuleId = await install({
      source: { name: 'Cloud', url: git.url('cloud'), ref: cloudCommit, path: '.' },
      options: { modulePath: '.', providerBindings: [binding] },
    });
    const configuration = await read(capsuleId);
    expect(configuration.providerBindings).toEqual([binding]);
    expect(configuration.providerRequirements?.map(({ providerName }) => providerName)).toEqual(['aws']);
    expect(valueAndOrigin(configuration, 'region')).toMatchObject([
      shown('eu-central-1'),
      { kind: 'connection_default', connectionId: connection.id },
    ]);
    await configure(capsuleId, { region: 'mine' });
    expect(valueAndOrigin(await read(capsuleId), 'region')).toMatchObject([shown('mine'), { kind: 'set' }]);
  });

  it('shows the Output of a Dependency only when it is not sensitive', async () => {
    const capsuleId = await install({ variables: { title: 'Books', upstream: 'mine' } });
    const producer = await seedCapsule(server);
    const link = async (from: string, to: string, required: boolean) =>
      (
        await server.api.createDependency({
          params: { capsuleId },
          body: { producerCapsuleId: producer.id, outputs: { [to]: { from, to, required } } },
        })
      ).body.dependency;
    await link('zone', 'region', false);
    const { id: dependencyId } = await link('url', 'upstream', true);
    await link('password', 'seats', true);
    expect(valueAndOrigin(await read(capsuleId), 'region')).toEqual([shown('nowhere'), { kind: 'module_default' }]);
    expect(valueAndOrigin(await read(capsuleId), 'upstream')).toMatchObject([
      { status: 'not_set' },
      { kind: 'dependency', required: true },
    ]);
    seedState(server, producer, { generation: 1, outputs: { url: 'https://a.example', zone: 'b' } });
    const configuration = await read(capsuleId);
    expect(inputOf(configuration, 'upstream')).toMatchObject({ configured: true });
    expect(valueAndOrigin(configuration, 'upstream')).toEqual([
      shown('https://a.example'),
      {
        kind: 'dependency',
        dependencyId,
        producerCapsuleId: producer.id,
        producerName: producer.name,
        outputName: 'url',
        mode: 'variable_injection',
        required: true,
      },
    ]);
    expect(valueAndOrigin(configuration, 'region')).toMatchObject([shown('b'), { kind: 'dependency' }]);
    expect(inputOf(configuration, 'seats').value).toEqual({ status: 'hidden' });
  });

  it('names what the host and the operator supply', async () => {
    const created = await server.raw({
      method: 'POST',
      path: '/internal/v1/install-configs',
      headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Base',
        sourceSelector: { url: git.url('shop'), path: '.' },
        variableMapping: { region: 'us' },
        installContextVariableMapping: { upstream: 'capsule_id' },
        variablePresentation: [
          { name: 'title', label: text('Title'), defaultValue: { source: 'capsule_name' } },
          { name: 'seats', label: text('Seats'), defaultValue: { source: 'literal', value: 7 } },
        ],
        installExperience: { projections: [{ kind: 'initial_secret', variable: 'pin' }] },
      }),
    });
    expect(created.status).toBe(201);
    const capsuleId = await install({ variables: {} });
    const configuration = await read(capsuleId);
    expect(valueAndOrigin(configuration, 'upstream')).toEqual([
      shown(capsuleId),
      { kind: 'host', supplies: 'capsule_id' },
    ]);
    expect(inputOf(configuration, 'upstream').changeable).toBe(false);
    expect(valueAndOrigin(configuration, 'region')).toEqual([shown('us'), { kind: 'host', supplies: 'operator' }]);
    expect(valueAndOrigin(configuration, 'title')[1]).toEqual({ kind: 'host', supplies: 'capsule_name' });
    expect(valueAndOrigin(configuration, 'seats')).toEqual([shown(7), { kind: 'operator_default' }]);
    expect(valueAndOrigin(configuration, 'pin')).toMatchObject([
      { status: 'hidden' },
      { kind: 'set', by: 'installation', generated: true },
    ]);
    await configure(capsuleId, { seats: 8 });
    expect(valueAndOrigin(await read(capsuleId), 'seats')).toMatchObject([
      shown(8),
      { kind: 'set', by: 'configuration_plan' },
    ]);
    const { installConfig } = created.json as { installConfig: { id: string } };
    const deleted = await server.raw({
      method: 'DELETE',
      path: `/internal/v1/install-configs/${installConfig.id}`,
      headers: { authorization: `Bearer ${server.operatorToken}` },
    });
    expect(deleted.status).toBe(204);
  });

  it('follows a chain of 1,000 versions, up to one that cannot be read', async () => {
    const capsuleId = await install();
    const first = await configure(capsuleId, { seats: 5 });
    const { workspaceId } = server;
    server.ledger(({ sqlite }) => {
      const row = sqlite.prepare('SELECT * FROM install_configs WHERE id = ?').get(first.targetInstallConfigId) as {
        [column: string]: unknown;
      };
      const columns = Object.keys(row);
      const insert = sqlite.prepare(
        `INSERT INTO install_configs (${columns.join()}) VALUES (${columns.map((one) => `@${one}`).join()})`,
      );
      let previousInstallConfigId = first.targetInstallConfigId;
      const provenance = JSON.parse(String(row['provenance'])) as object;
      for (let at = 0; at < 1_000; at += 1) {
        const id = `icfg_chain${at}`;
        const receipt = { requestDigest: 'x', previousInstallConfigId };
        const values = { variable_mapping: JSON.stringify({ title: `Books ${at}`, seats: 5 }) };
        insert.run({ ...row, id, ...values, provenance: JSON.stringify({ ...provenance, receipt }) });
        previousInstallConfigId = id;
      }
      sqlite
        .prepare('UPDATE capsules SET install_config_id = ? WHERE id = ? AND workspace_id = ?')
        .run(previousInstallConfigId, capsuleId, workspaceId);
    });
    resealConfig(server, 'icfg_chain999');
    const configuration = await read(capsuleId);
    expect(inputOf(configuration, 'seats').origin).toMatchObject({ runId: first.planRunId, accountId: server.subject });
    expect(inputOf(configuration, 'title').origin).toMatchObject({ kind: 'set', by: 'configuration_plan' });
    change("UPDATE install_configs SET provenance = 'x' WHERE id = 'icfg_chain500'");
    change("UPDATE install_configs SET variable_mapping = 'x' WHERE id = 'icfg_chain500'");
    expect(inputOf(await read(capsuleId), 'seats').origin).toMatchObject({ kind: 'set', orEarlier: true });
  });
});

describe('readers and refusals', () => {
  it('answers every role of the Workspace alike, and no one outside it', async () => {
    const capsuleId = await install();
    const own = await read(capsuleId);
    for (const role of ['member', 'viewer'] as const) {
      const { api } = await server.join(role);
      expect(await read(capsuleId, api)).toEqual(own);
    }
    const { api: outsider } = await server.join(undefined);
    await expect(read(capsuleId, outsider)).rejects.toMatchObject({ status: 403 });
    await expect(read('cap_none')).rejects.toMatchObject({ status: 404 });
  });

  it('says why a change is refused now', async () => {
    const capsuleId = await install();
    const refusal = async () => (await read(capsuleId)).change.refusal?.code;
    expect(await refusal()).toBeUndefined();
    change("UPDATE capsules SET runtime_safety = 'unknown' WHERE id = ?", capsuleId);
    expect(await refusal()).toBe('capsule_runtime_unsafe');
    change("UPDATE capsules SET runtime_safety = 'safe' WHERE id = ?", capsuleId);
    holdCapsule(server, capsuleId);
    expect(await refusal()).toBe('capsule_install_config_rebind_busy');
  });

  it('lists the configured values of a Capsule whose snapshot was never checked', async () => {
    const capsuleId = await install();
    const { installConfigId } = (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;
    change("UPDATE install_configs SET module_path = 'other' WHERE id = ?", installConfigId);
    resealConfig(server, installConfigId);
    const configuration = await read(capsuleId);
    expect(configuration.inputs.map(({ name, declaration }) => [name, declaration])).toEqual([['title', undefined]]);
    expect(configuration.change.refusal?.code).toBe('capsule_configuration_generic_authority_invalid');
  });

  it('refuses a configuration that was altered in the ledger', async () => {
    const capsuleId = await install();
    const { installConfigId } = (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;
    change(`UPDATE install_configs SET variable_mapping = '{"title":"Other"}' WHERE id = ?`, installConfigId);
    const refused = read(capsuleId);
    await expect(refused).rejects.toMatchObject({ status: 409 });
    await expect(refused).rejects.toMatchObject({ details: { reason: 'capsule_install_config_rebind_conflict' } });
  });
});
