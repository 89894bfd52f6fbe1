import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { resealConfig, seedCapsule } from '../../../test/ledger-rows.ts';
import { digestOf } from '../../kernel/digest.ts';
import { installConfigs } from '../install-configs/schema.ts';
import { createInstallConfigsStore } from '../install-configs/store.ts';

const builtIn = 'cfg-default-opentofu-capsule';
const kind = 'svc.install-config-patch@v1';
const both = (text: string) => ({ en: text, ja: text });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

let configCount = 0;
/** Creates a configuration without an installation: shared, or of the Workspace. */
function seedConfig(workspaceId: string | null): string {
  configCount += 1;
  const id = `icfg_${String(configCount).padStart(16, '0')}`;
  const row = {
    id,
    workspaceId,
    name: 'Before installations',
    derived: false,
    modulePath: null,
    provenance: null,
    variableMapping: { size: 1 },
    secretVariables: [],
    secrets: null,
    parts: { sourceBuild: { commands: [{ argv: ['true'] }], outputs: ['out'] } },
    policy: { allowedProviders: ['hashicorp/random'] },
    allOutputs: false,
    digest: digestOf(id),
    createdAt: 1,
    updatedAt: 1,
  };
  server.ledger((db) => createInstallConfigsStore(db).insertConfig(row));
  resealConfig(server, id);
  return id;
}
const rowOf = (id: string) =>
  server.ledger(({ orm }) => orm.select().from(installConfigs).where(eq(installConfigs.id, id)).get());
const patch = (id: string, body: object) =>
  server.raw({
    method: 'PATCH',
    path: `/internal/v1/install-configs/${id}`,
    headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind, ...body }),
  });
type Envelope = { error?: { code: string; details?: { reason?: string; field?: string } } };
const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } = (json as Envelope).error ?? {};
  return [status, code, details?.reason, details?.field];
};
const inUse = [409, 'failed_precondition', 'install_config_in_use', undefined];
const invalid = (field: string) => [400, 'invalid_argument', 'install_config_patch_invalid', field];

const blueprint = (more: object = {}) => ({
  key: 'page',
  name: 'page',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Page' },
    inputs: { url: { source: 'capsule_output', outputName: 'url' } },
    access: { visibility: 'workspace', resourceUriInput: 'url' },
  },
  ...more,
});
const binding = (subject: object) => ({
  bindings: [{ key: 'me', permissions: ['ui.open'], delivery: { type: 'none' }, ...subject }],
});
const installer = binding({ subject: { source: 'installing_principal' } });
const allowlist = { url: { from: 'url', type: 'url' } };

const action = {
  apiVersion: 'svc.dev/v1alpha1',
  kind: 'command',
  id: 'warm',
  phase: 'post_apply',
  executor: 'runner',
  command: ['true'],
};
const lifecycleActionPolicy = {
  allowedExecutors: ['runner'],
  allowedRunnerCapabilities: ['capsule.lifecycle.command.v1'],
};

test('stores the actions that its policy allows, with one name of their time limit', async () => {
  const id = seedConfig(null);
  const before = rowOf(id)?.digest;
  const answer = await patch(id, { lifecycleActions: [{ ...action, timeout_seconds: 9 }], lifecycleActionPolicy });
  const stored = { ...action, timeoutSeconds: 9 };
  expect([answer.status, answer.json]).toMatchObject([200, { installConfig: { lifecycleActions: [stored] } }]);
  expect(rowOf(id)?.digest).not.toBe(before);
  // A policy that no longer allows them is refused, so that no configuration contradicts itself.
  expect((await patch(id, { lifecycleActionPolicy: null })).status).toBe(400);
  expect((await patch(id, { lifecycleActions: [] })).status).toBe(200);
  expect(rowOf(id)?.parts).not.toHaveProperty('lifecycleActions');
});

test('replaces whole members and leaves everything else unchanged', async () => {
  const id = seedConfig(null);
  const before = rowOf(id);
  const body = {
    variableMapping: {},
    variablePresentation: [{ name: 'region', label: both('Region'), type: 'string' }],
    installExperience: { features: [{ id: 'place', label: both('Place'), optional: true, inputs: ['region'] }] },
    outputAllowlist: allowlist,
    interfaceBlueprints: [],
    lifecycleActions: [],
    lifecycleActionPolicy: {
      allowedExecutors: ['runner'],
      allowedRunnerCapabilities: ['capsule.lifecycle.command.v1'],
    },
  };
  const answer = await patch(id, body);
  const { lifecycleActionPolicy, lifecycleActions: _none, ...shown } = body;
  expect([answer.status, (answer.json as { installConfig: object }).installConfig]).toMatchObject([
    200,
    { id, ...shown, policy: { allowedProviders: ['hashicorp/random'], lifecycleActions: lifecycleActionPolicy } },
  ]);
  const after = rowOf(id);
  const { variableMapping, parts, policy, digest, updatedAt, ...unchangedFields } = after ?? {};
  expect(before).toMatchObject(unchangedFields);
  expect(parts?.sourceBuild).toEqual(before?.parts?.sourceBuild);
  expect(digest).not.toBe(before?.digest);
  expect(updatedAt).toBeGreaterThan(before?.updatedAt ?? 0);
  expect(variableMapping).toEqual({});
  await patch(id, { lifecycleActionPolicy: null });
  expect(rowOf(id)).toMatchObject({ policy: { allowedProviders: ['hashicorp/random'] } });
  expect(rowOf(id)?.policy).not.toHaveProperty('lifecycleActions');
});

test('records which members were patched, without values', async () => {
  const id = seedConfig(server.workspaceId);
  const { digest: previousDigest } = rowOf(id) ?? {};
  expect((await patch(id, { outputAllowlist: { canary: { from: 'canary-value', type: 'url' } } })).status).toBe(200);
  const { events } = (await server.as(server.operatorToken).listAudit({ query: { action: 'install_config.patched' } }))
    .body;
  expect(events[0]).toMatchObject({
    workspaceId: server.workspaceId,
    actorId: 'operator',
    targetType: 'install_config',
    targetId: id,
    metadata: { members: ['outputAllowlist'], previousDigest, digest: rowOf(id)?.digest },
  });
  expect(JSON.stringify(events)).not.toContain('canary-value');
});

test('the built-in configuration is shared, and can be patched while it is unused', async () => {
  expect((await patch(builtIn, { outputAllowlist: allowlist })).status).toBe(200);
  const { installConfig } = (await server.api.getInstallConfig({ params: { capsuleConfigId: builtIn } })).body;
  expect(installConfig.outputAllowlist).toEqual(allowlist);
  expect((await patch(builtIn, { outputAllowlist: {} })).status).toBe(200);
});

describe('nothing is written', () => {
  let shared: string;
  beforeEach(() => {
    shared = seedConfig(null);
  });
  const refused = async (id: string, body: object) => {
    const before = rowOf(id);
    const answer = await patch(id, body);
    expect(rowOf(id)).toEqual(before);
    return statusAndCode(answer);
  };

  test('when it does not exist, or a Capsule or an installation in progress uses it', async () => {
    const body = { variableMapping: {} };
    expect((await patch('icfg_none', body)).status).toBe(404);
    const capsule = await seedCapsule(server);
    expect(await refused(capsule.installConfigId, body)).toEqual(inUse);
    await seedCapsule(server, { installConfigId: shared, status: 'destroyed' });
    expect(await refused(shared, body)).toEqual(inUse);

    const over = seedConfig(null);
    const source = { name: 'm', url: 'https://example.com/m', ref: 'main', path: '.' };
    const request = { source, capsule: { name: 'web', environment: 'test' } };
    const plan = (
      await server.api.createInstallPlan(
        { params: { workspaceId: server.workspaceId }, body: request },
        { 'idempotency-key': 'stands on it' },
      )
    ).body.installPlan;
    const set = (column: string, value: unknown) =>
      server.ledger(({ sqlite }) =>
        sqlite.prepare(`UPDATE install_plans SET ${column} = ? WHERE id = ?`).run(value, plan.id),
      );
    set('facts', JSON.stringify({ installConfigBaseId: over }));
    expect(await refused(over, body)).toEqual(inUse);
    set('completed_at', 1);
    expect((await patch(over, body)).status).toBe(200);
  });

  test('when a Workspace-scoped configuration would bind the installing account', async () => {
    const own = seedConfig(server.workspaceId);
    const body = { outputAllowlist: allowlist, interfaceBlueprints: [blueprint(installer)] };
    expect(await refused(own, body)).toEqual(inUse);
    const created = await server.raw({
      method: 'POST',
      path: '/internal/v1/install-configs',
      headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspaceId: server.workspaceId, name: 'Own', ...body }),
    });
    expect(statusAndCode(created)).toEqual(inUse);
    const named = blueprint(binding({ subjectRef: { kind: 'Principal', id: server.subject } }));
    const { status, json } = await patch(own, { ...body, interfaceBlueprints: [named] });
    expect([status, json]).toMatchObject([200, { installConfig: { interfaceBlueprints: [named] } }]);
  });

  test.each([
    ['no member', {}, ''],
    ['another version', { kind: 'svc.install-config-patch@v2', variableMapping: {} }, '/kind'],
    ['another member', { variableMapping: {}, name: 'x' }, '/name'],
    ['a name that no variable has', { variableMapping: { '1': 1 } }, '/variableMapping/1'],
    ['a kept secret', { variableMapping: { a: ['[REDACTED]'] } }, '/variableMapping/a'],
    ['a credential', { variableMapping: { a: `ghp_${'a'.repeat(36)}` } }, '/variableMapping/a'],
    [
      'a value that the host delivers',
      { variablePresentation: [{ name: 'a', source: 'host', label: both('A') }] },
      '/variablePresentation/0/source',
    ],
    [
      'a secret with a value',
      { variablePresentation: [{ name: 'size', secret: true, label: both('S') }] },
      '/variablePresentation',
    ],
    [
      'a default of another type',
      {
        variablePresentation: [
          { name: 'a', type: 'number', label: both('A'), defaultValue: { source: 'literal', value: 'x' } },
        ],
      },
      '/variablePresentation/0/defaultValue/value',
    ],
    [
      'the mark of a manifest',
      { installExperience: { repositoryInstallUx: { status: 'accepted' } } },
      '/installExperience/repositoryInstallUx',
    ],
    [
      'a feature of an input that the form does not show',
      { installExperience: { features: [{ id: 'f', label: both('F'), optional: false, inputs: ['none'] }] } },
      '/installExperience/features/0/inputs/0',
    ],
    ['an unknown type of Output', { outputAllowlist: { a: { from: 'a', type: 'date' } } }, '/outputAllowlist/a/type'],
    [
      'an Interface of an Output that is not public',
      { interfaceBlueprints: [blueprint()] },
      '/interfaceBlueprints/0/spec/inputs/url/outputName',
    ],
    [
      'two Interfaces with the same key',
      { outputAllowlist: allowlist, interfaceBlueprints: [blueprint(), blueprint({ name: 'other' })] },
      '/interfaceBlueprints/1/key',
    ],
    [
      'a binding without a subject',
      { outputAllowlist: allowlist, interfaceBlueprints: [blueprint(binding({}))] },
      '/interfaceBlueprints/0/bindings/0/subject',
    ],
    [
      'an unknown executor',
      { lifecycleActionPolicy: { allowedExecutors: ['x'], allowedRunnerCapabilities: [] } },
      '/lifecycleActionPolicy/allowedExecutors/0',
    ],
  ])('with %s', async (_, body, field) => {
    expect(await refused(shared, body)).toEqual(invalid(field));
  });

  test('with actions that no policy allows', async () => {
    expect(await refused(shared, { lifecycleActions: [action] })).toEqual(invalid('/lifecycleActions/0'));
    const other = { ...lifecycleActionPolicy, allowedExecutors: ['operator'] };
    expect(await refused(shared, { lifecycleActions: [action], lifecycleActionPolicy: other })).toEqual(
      invalid('/lifecycleActions/0'),
    );
    const credentials = { ...action, useProviderCredentials: true };
    expect(await refused(shared, { lifecycleActions: [credentials], lifecycleActionPolicy })).toEqual(
      invalid('/lifecycleActions/0'),
    );
  });

  test.each([
    ['a repeated id', [action, action], '/lifecycleActions/1/id'],
    [
      'a cleanup after an apply',
      [action, { ...action, id: 'b', cleanupFor: 'warm' }],
      '/lifecycleActions/1/cleanupFor',
    ],
    ['a cleanup for nothing', [{ ...action, phase: 'pre_destroy', cleanupFor: 'x' }], '/lifecycleActions/0/cleanupFor'],
    [
      'a credential in the command',
      [{ ...action, command: ['x', `ghp_${'a'.repeat(20)}`] }],
      '/lifecycleActions/0/command/1',
    ],
    ['a credential by its name', [{ ...action, env: { API_TOKEN: 'abcdef12' } }], '/lifecycleActions/0/env/API_TOKEN'],
    ['a reserved name', [{ ...action, env: { SVC_OUTPUTS_JSON: '{}' } }], '/lifecycleActions/0/env/SVC_OUTPUTS_JSON'],
    [
      'two names of the time limit',
      [{ ...action, timeoutSeconds: 1, timeout_seconds: 1 }],
      '/lifecycleActions/0/timeout_seconds',
    ],
    ['a long time limit', [{ ...action, timeoutSeconds: 3_601 }], '/lifecycleActions/0/timeoutSeconds'],
    ['too many', Array.from({ length: 21 }, (_, index) => ({ ...action, id: `a${index}` })), '/lifecycleActions'],
  ])('with %s', async (_name, lifecycleActions, field) => {
    const [status, , , at] = await refused(shared, { lifecycleActions, lifecycleActionPolicy });
    expect([status, at]).toEqual([400, field]);
  });
});
