import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateInstallPlan } from '#shared/coordinators/api';
import type { InstallPlan } from '#shared/coordinators/contract';
import type { JsonObject } from '#shared/kernel/json';
import { manifestPath } from '#shared/vendor';
import { writeFakeTool } from '../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer, tempDir } from '../../test/harness.ts';

const module = `variable "title" { type = string }
variable "slug" { type = string }
variable "scoped" { type = string }
variable "session_key" { type = string }
variable "admin_password" {
  type    = string
  default = ""
}
variable "region" {
  type    = string
  default = "eu"
}
variable "public_url" {
  type    = string
  default = ""
}
variable "route" {
  type    = string
  default = ""
}
variable "seats" { type = number }
variable "quiet" {
  type    = string
  default = "nobody asks"
}
output "address" { value = var.public_url }
`;
const text = (en: string) => ({ en, ja: `${en} (ja)` });
const user = (name: string, more: object = {}) => ({ name, source: { kind: 'user' }, label: text(name), ...more });
const manifest = (change: (module: Record<string, unknown>) => void = () => {}) => {
  const described = {
    inputs: [
      user('title', { role: 'service_name', helper: text('Stands on each page'), placeholder: 'Notes' }),
      { name: 'slug', source: { kind: 'capsule_name' }, label: text('Slug') },
      { name: 'scoped', source: { kind: 'workspace_scoped_capsule_name' }, label: text('Scoped') },
      user('admin_password', { role: 'initial_secret', secret: true }),
      { name: 'region', source: { kind: 'module_default' }, label: text('Region'), advanced: true },
    ],
    requires: [
      { kind: 'secret.generated', bytes: 16, encoding: 'hex', deliver: { variables: { value: 'session_key' } } },
      { kind: 'http.endpoint', deliver: { variables: { url: 'public_url', routePattern: 'route' } } },
    ],
    features: [{ id: 'login', optional: true, label: text('Signing in'), inputs: ['admin_password'] }],
    sourceBuild: { commands: [{ argv: ['npm', 'run', 'build'] }], outputs: ['dist/app.js'] },
  };
  change(described as Record<string, unknown>);
  return JSON.stringify({ apiVersion: 'svc/v2.3', kind: 'Repository', install: { modules: { '.': described } } });
};
const twice = (kind: string) => (described: Record<string, unknown>) =>
  void Object.assign(described, { requires: [...(described['requires'] as object[]), { kind }] });

let server: TestServer;
let git: GitHost;
const toolDir = tempDir();
beforeAll(async () => {
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  git.repository('wiki', { 'main.tf': module, [manifestPath]: manifest() });
  git.repository('plain', { 'main.tf': 'variable "name" { type = string }\n' });
  git.repository('broken', {
    'main.tf': 'variable "name" { type = string }\n',
    [manifestPath]: manifest(twice('nothing')),
  });
  const strange = (described: Record<string, unknown>) =>
    void Object.assign(described, { inputs: [user('nothing_of_the_module')], features: [] });
  git.repository('strange', { 'main.tf': module, [manifestPath]: manifest(strange) });
  git.repository('several', { 'a/main.tf': module, [manifestPath]: manifest() });
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

let count = 0;
const told = ({ status, json }: RawAnswer) => {
  const { code, details = {} } = (json as { error?: { code: string; details?: Record<string, unknown> } }).error ?? {};
  return [status, code, details['reason'] ?? details['diagnosticCode'] ?? details['field']];
};
const policy = (repositoryInstallUx: object | undefined) =>
  server.ledger((db) =>
    db.sqlite
      .prepare('UPDATE workspaces SET policy = ? WHERE id = ?')
      .run(repositoryInstallUx ? JSON.stringify({ repositoryInstallUx }) : null, server.workspaceId),
  );
/** A synced Source of a repository. */
async function synced(repository: string): Promise<string> {
  const body = { workspaceId: server.workspaceId, name: repository, url: git.url(repository), defaultRef: 'main' };
  const { source } = (await server.api.createSource({ body })).body;
  const { run } = (await server.api.syncSource({ params: { sourceId: source.id }, body: {} })).body;
  await server.ended(run.id);
  return source.id;
}
const check = (sourceId: string, body: object = {}) =>
  server.ask('POST', `/api/v1/sources/${sourceId}/compatibility-check`, {
    compileInstallUx: true,
    capsuleName: 'Wiki',
    ...body,
  });
const uxOf = ({ json }: RawAnswer) =>
  (json as { repositoryInstallUx: { status: string; installConfigId: string } }).repositoryInstallUx;
const configOf = async (capsuleConfigId: string) =>
  (await server.api.getInstallConfig({ params: { capsuleConfigId } })).body.installConfig;
const values = {
  title: 'Books',
  seats: 3,
  admin_password: 'Correct-horse-canary-42',
  public_url: 'https://wiki.example.org',
};

type Asked = { repository?: string; variables?: JsonObject; preflight?: CreateInstallPlan['preflight']; name?: string };
const requestOf = ({ repository = 'wiki', variables = values, preflight, name = `Wiki ${count}` }: Asked) => ({
  source: { name: 'Modules', url: git.url(repository), ref: 'main', path: '.' },
  capsule: { name, environment: 'test' },
  variables,
  ...(preflight && { preflight }),
});
const post = (asked: Asked) => {
  count += 1;
  const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
  return server.ask('POST', path, requestOf(asked), { 'idempotency-key': `key ${count}` });
};
/** Installs as far as the plan, which the fake tool cannot make. */
async function install(asked: Asked = {}): Promise<InstallPlan> {
  const made = await post(asked);
  if (made.status !== 201) throw new Error(made.text);
  const { installPlan } = made.json as { installPlan: InstallPlan };
  for (;;) {
    const answer = await server.api.reconcileInstallPlan({ params: { installPlanId: installPlan.id } });
    const now = answer.body.installPlan;
    if (now.phase === 'failed' || now.phase === 'reviewable') return now;
  }
}
async function preflightOf(sourceId: string, answer: RawAnswer): Promise<NonNullable<CreateInstallPlan['preflight']>> {
  const { report, run } = answer.json as { report: { id: string; sourceSnapshotId: string }; run: { id: string } };
  return {
    sourceId,
    sourceSnapshotId: report.sourceSnapshotId,
    compatibilityCheckRunId: run.id,
    compatibilityReportId: report.id,
    installConfigId: uxOf(answer).installConfigId,
  };
}

describe('a check that compiles', () => {
  test('makes a configuration of the server’s own, which anybody can read without what is only the server’s', async () => {
    const sourceId = await synced('wiki');
    const answer = await check(sourceId);
    expect([answer.status, uxOf(answer)]).toEqual([
      201,
      { status: 'accepted', installConfigId: expect.stringMatching(/^icfg_/) },
    ]);
    const config = await configOf(uxOf(answer).installConfigId);
    expect(config).toMatchObject({
      workspaceId: server.workspaceId,
      name: 'Wiki',
      modulePath: '.',
      variableMapping: {},
      outputAllowlist: {},
      sourceBuild: { commands: [{ argv: ['npm', 'run', 'build'] }], outputs: ['dist/app.js'] },
      installExperience: {
        projections: [
          { kind: 'service_name', variable: 'title' },
          { kind: 'initial_secret', variable: 'admin_password', optional: true },
          { kind: 'public_endpoint', variables: { url: 'public_url', routePattern: 'route' } },
        ],
        features: [{ id: 'login', optional: true, label: text('Signing in'), inputs: ['admin_password'] }],
        repositoryInstallUx: { status: 'accepted' },
      },
    });
    expect(config.variablePresentation).toEqual([
      {
        name: 'title',
        source: 'user',
        type: 'string',
        label: text('title'),
        helper: text('Stands on each page'),
        placeholder: 'Notes',
        required: true,
      },
      {
        name: 'slug',
        source: 'capsule_name',
        type: 'string',
        label: text('Slug'),
        defaultValue: { source: 'capsule_name' },
      },
      {
        name: 'scoped',
        source: 'workspace_scoped_capsule_name',
        type: 'string',
        label: text('Scoped'),
        defaultValue: { source: 'workspace_scoped_capsule_name' },
      },
      {
        name: 'admin_password',
        source: 'user',
        type: 'string',
        label: text('admin_password'),
        required: false,
        secret: true,
      },
      {
        name: 'region',
        source: 'module_default',
        type: 'string',
        label: text('Region'),
        advanced: true,
        defaultValue: { source: 'literal', value: 'eu' },
      },
      {
        name: 'session_key',
        source: 'host',
        type: 'string',
        label: { ja: 'session_key', en: 'session_key' },
        secret: true,
        generated: true,
      },
      {
        name: 'public_url',
        source: 'user',
        type: 'string',
        label: { ja: 'public_url', en: 'public_url' },
        format: 'url',
        required: false,
      },
      { name: 'route', source: 'host', type: 'string', label: { ja: 'route', en: 'route' } },
      { name: 'seats', source: 'user', type: 'number', label: { ja: 'seats', en: 'seats' }, required: true },
    ]);
    for (const hidden of ['provenance', 'generatedSecrets', 'requiredInterfaces', 'digest'])
      expect(config).not.toHaveProperty(hidden);
  });

  test('tells a repository without a manifest from one whose manifest is broken or does not fit', async () => {
    expect(uxOf(await check(await synced('plain')))).toEqual({ status: 'absent' });
    expect(uxOf(await check(await synced('broken')))).toMatchObject({
      status: 'invalid',
      diagnosticCode: 'repository_install_ux_invalid_document',
    });
    const refused = uxOf(await check(await synced('strange')));
    expect(refused).toMatchObject({ status: 'invalid', diagnosticCode: 'repository_install_ux_variable_missing' });
    expect(uxOf(await check(await synced('several')))).toEqual({ status: 'absent' });
  });

  test('needs a name and takes no Capsule; without asking, nothing is compiled', async () => {
    const sourceId = await synced('wiki');
    expect(told(await check(sourceId, { capsuleName: undefined }))).toEqual([400, 'invalid_request', '/capsuleName']);
    const capsuleId = `cap_${'0'.repeat(26)}`;
    expect(told(await check(sourceId, { capsuleId }))).toEqual([400, 'invalid_request', '/capsuleId']);
    expect(told(await check(sourceId, { capsuleId, compileInstallUx: undefined }))).toEqual([
      404,
      'not_found',
      undefined,
    ]);
    expect(uxOf(await check(sourceId, { compileInstallUx: false }))).toBeUndefined();
  });

  test('refuses a configuration that was accepted from another snapshot, and an unknown one', async () => {
    const sourceId = await synced('wiki');
    const { installConfigId } = uxOf(await check(sourceId));
    expect(uxOf(await check(sourceId, { installConfigId })).status).toBe('accepted');
    const other = await synced('plain');
    expect(told(await check(other, { installConfigId }))).toEqual([409, 'repository_install_ux_stale', undefined]);
    expect(told(await check(other, { installConfigId, compileInstallUx: undefined }))).toEqual([
      409,
      'repository_install_ux_stale',
      undefined,
    ]);
    expect(told(await check(other, { installConfigId: 'icfg_none' }))).toEqual([404, 'not_found', undefined]);
  });

  test('fails closed where a policy requires a version of the manifest', async () => {
    const [wiki, plain, broken, several] = await Promise.all(['wiki', 'plain', 'broken', 'several'].map(synced));
    const required = (code: string) => [409, 'repository_install_ux_invalid', `repository_install_ux_${code}`];
    policy({ allowedInterfacePermissions: [], requiredManifestApiVersion: 'svc/v2.3' });
    try {
      expect(uxOf(await check(wiki ?? '')).status).toBe('accepted');
      expect(told(await check(plain ?? ''))).toEqual(required('manifest_api_version_required'));
      expect(told(await check(broken ?? ''))).toEqual(required('manifest_api_version_required'));
      expect(told(await check(several ?? ''))).toEqual(required('module_missing'));
      expect((await install({ repository: 'plain', variables: { name: 'x' } })).diagnostic).toMatchObject({
        code: 'repository_install_ux_manifest_api_version_required',
      });
      policy({ allowedInterfacePermissions: [], requiredManifestApiVersion: 'svc/v2' });
      expect(told(await check(wiki ?? ''))).toEqual(required('manifest_api_version_required'));
    } finally {
      policy(undefined);
    }
  });
});

describe('an installation from a manifest', () => {
  test('gives the Capsule its names, its address and a secret of its own, and keeps them in later plans', async () => {
    const plan = await install({ name: 'My Wiki' });
    const { capsuleId = '', installConfigId = '' } = plan;
    const config = await configOf(installConfigId);
    const { workspaces } = (await server.api.listWorkspaces({})).body;
    expect(config.variableMapping).toEqual({
      title: 'Books',
      seats: 3,
      admin_password: '[REDACTED]',
      slug: 'My Wiki',
      scoped: `${workspaces[0]?.handle}-my-wiki`,
      public_url: 'https://wiki.example.org',
      route: 'wiki.example.org/*',
    });
    expect(config.variablePresentation).toHaveLength(9);
    const { capsule, installConfigReAdoption } = (await server.api.getCapsule({ params: { capsuleId } })).body;
    expect(capsule.installConfigId).toBe(installConfigId);
    const patch = { set: { public_url: 'https://books.example.org:8443' }, remove: ['admin_password'] };
    const answer = await server.api.planConfiguration(
      {
        params: { capsuleId },
        body: {
          variablePatch: patch,
          providerBindings: [],
          interfaceBlueprints: [],
          expected: installConfigReAdoption,
        },
      },
      { 'idempotency-key': 'change the address' },
    );
    const changed = await configOf(answer.body.configurationPlan.targetInstallConfigId);
    expect(changed.variableMapping).toEqual({
      ...config.variableMapping,
      admin_password: undefined,
      public_url: 'https://books.example.org:8443',
      route: 'books.example.org:8443/*',
    });
    await server.ended(answer.body.configurationPlan.planRunId);
  });

  test('takes what the manifest asks for and nothing else', async () => {
    const refusal = async (variables: JsonObject) => (await install({ variables })).diagnostic?.code;
    expect(await refusal({ ...values, quiet: 'loud' })).toBe('install_variable_invalid');
    expect(await refusal({ ...values, slug: 'mine' })).toBe('install_variable_invalid');
    expect(await refusal({ ...values, session_key: 'mine' })).toBe('install_variable_invalid');
    expect(await refusal({ ...values, public_url: 'https://wiki.example.org/path' })).toBe('install_variable_invalid');
    expect(await refusal({ title: 'Books' })).toBe('install_variable_required');
    expect((await install({ repository: 'strange' })).diagnostic).toMatchObject({
      code: 'repository_install_ux_variable_missing',
      message: expect.stringContaining('nothing_of_the_module'),
    });
    expect((await install({ repository: 'broken', variables: { name: 'x' } })).capsuleId).toBeDefined();
  });

  test('of what was looked at uses exactly the accepted configuration', async () => {
    const sourceId = await synced('wiki');
    const answer = await check(sourceId);
    const preflight = await preflightOf(sourceId, answer);
    const { capsuleId, installConfigId = '' } = await install({ preflight });
    expect(capsuleId).toBeDefined();
    expect((await configOf(installConfigId)).variableMapping).toMatchObject({ title: 'Books', seats: 3 });
    expect(told(await post({ preflight, variables: { ...values, quiet: 'x' } }))).toEqual([
      400,
      'invalid_argument',
      'install_variable_invalid',
    ]);
    const again = await preflightOf(sourceId, await check(sourceId));
    const mixed = { ...again, installConfigId: preflight.installConfigId };
    expect((await install({ preflight: mixed })).diagnostic?.code).toBe('install_preflight_config_identity_changed');
    const own = { ...preflight, installConfigId };
    expect((await install({ preflight: own })).diagnostic?.code).toBe('install_preflight_config_identity_changed');
  });

  test('with the plain configuration goes on only where the manifest could be adopted', async () => {
    const plainly = async (repository: string) => {
      const sourceId = await synced(repository);
      const preflight = await preflightOf(sourceId, await check(sourceId));
      return post({ repository, preflight: { ...preflight, installConfigId: 'cfg-default-opentofu-capsule' } });
    };
    expect(told(await plainly('strange'))).toEqual([
      409,
      'repository_install_ux_invalid',
      'repository_install_ux_variable_missing',
    ]);
    expect(told(await plainly('wiki'))).toEqual([400, 'invalid_argument', 'install_variable_required']);
  });

  test('is never read again: a manifest that is gone or forged changes nothing of a Capsule', async () => {
    const { capsuleId = '', installConfigId = '', sourceSnapshotId = '' } = await install();
    const before = await configOf(installConfigId);
    const forge = (document: string | null) =>
      server.ledger((db) => {
        const set = db.sqlite.prepare('UPDATE snapshot_manifests SET document = ? WHERE snapshot_id = ?');
        set.run(document, sourceSnapshotId);
      });
    const plan = async () => {
      const { run } = (await server.api.planCapsule({ params: { capsuleId }, body: {} })).body;
      await server.ended(run.id);
      return (await server.api.getRun({ params: { runId: run.id } })).body.run.status;
    };
    forge('{"apiVersion":"svc/v2.3"}');
    expect(await plan()).toBe('failed');
    server.ledger((db) => {
      db.sqlite.prepare('DELETE FROM snapshot_manifests WHERE snapshot_id = ?').run(sourceSnapshotId);
      db.sqlite
        .prepare(`UPDATE source_snapshots SET repository_manifest = '{"status":"absent"}' WHERE id = ?`)
        .run(sourceSnapshotId);
    });
    await plan();
    expect(await configOf(installConfigId)).toEqual(before);
    expect((await server.api.getCapsule({ params: { capsuleId } })).body.capsule.installConfigId).toBe(installConfigId);
  });
});
