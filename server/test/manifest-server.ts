import fs from 'node:fs';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { InstallPlan } from '#shared/install-plans/contract';
import type { JsonObject } from '#shared/kernel/json';
import { manifestPath } from '#shared/vendor';
import type { TestRepository } from '../../e2e/fixtures/git-server.ts';
import type { Environment } from '../src/kernel/settings.ts';
import { writeFakeTool } from './fake-tool.ts';
import { type GitHost, startGitHost } from './git-fixture.ts';
import { type RawAnswer, startTestServer, tempDir } from './harness.ts';

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
  default = "not presented"
}
output "address" { value = var.public_url }
`;
export const text = (en: string) => ({ en, ja: `${en} (ja)` });
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

/** Repositories with manifests of every kind: one that fits, one that does not, an invalid one, and none. */
function createRepositories(git: GitHost): Map<string, TestRepository> {
  const moved = ['wiki', 'moving'].map((name) => {
    const files = { 'main.tf': module, [manifestPath]: manifest() };
    return [name, git.repository(name, files)] as const;
  });
  const plain = git.repository('plain', { 'main.tf': 'variable "name" { type = string }\n' });
  git.repository('broken', {
    'main.tf': 'variable "name" { type = string }\n',
    [manifestPath]: manifest(twice('nothing')),
  });
  const strange = (described: Record<string, unknown>) =>
    void Object.assign(described, { inputs: [user('nothing_of_the_module')], features: [] });
  git.repository('strange', { 'main.tf': module, [manifestPath]: manifest(strange) });
  const signIn = (described: Record<string, unknown>) =>
    void Object.assign(described, {
      inputs: [user('title')],
      features: [],
      requires: [
        { kind: 'http.endpoint', deliver: { variables: { url: 'public_url' } } },
        {
          kind: 'identity.oidc',
          callbackPath: '/back',
          deliver: {
            variables: { issuerUrl: 'slug', accountsUrl: 'scoped', clientId: 'session_key', redirectUri: 'route' },
          },
        },
      ],
    });
  git.repository('sign-in', { 'main.tf': module, [manifestPath]: manifest(signIn) });
  const consuming = (described: Record<string, unknown>) =>
    void Object.assign(described, {
      requires: [
        {
          kind: 'interface.consume',
          key: 'search',
          interface: { type: 'mcp.server', version: '1' },
          permissions: ['mcp.invoke'],
          delivery: { type: 'oauth2' },
        },
        { kind: 'secret.generated', deliver: { variables: { value: 'session_key' } } },
      ],
    });
  git.repository('consuming', { 'main.tf': module, [manifestPath]: manifest(consuming) });
  const offering = (described: Record<string, unknown>) =>
    void Object.assign(described, {
      interfaces: [
        {
          key: 'ui',
          name: 'Surface',
          spec: {
            type: 'interface.ui.surface',
            version: '1',
            document: JSON.parse('{"title":"Notes","__proto__":{"polluted":1}}'),
            inputs: { uri: { source: 'output', outputName: 'address', outputType: 'url' } },
            access: { visibility: 'workspace', resourceUriInput: 'uri' },
          },
        },
      ],
    });
  const offers = git.repository('offering', { 'main.tf': module, [manifestPath]: manifest(offering) });
  const addressed = (described: Record<string, unknown>) =>
    void Object.assign(described, { inputs: [...(described['inputs'] as object[]), user('public_url')] });
  git.repository('addressed', { 'main.tf': module, [manifestPath]: manifest(addressed) });
  git.repository('unmanaged', { 'main.tf': module });
  git.repository('several', { 'a/main.tf': module, [manifestPath]: manifest() });
  return new Map([...moved, ['plain', plain], ['offering', offers]]);
}

/** Status, code and details of an error response. */
export const refusalOf = ({ status, json }: RawAnswer) => {
  const { code, details = {} } = (json as { error?: { code: string; details?: Record<string, unknown> } }).error ?? {};
  return [status, code, details['reason'] ?? details['diagnosticCode'] ?? details['field']];
};
export const uxOf = ({ json }: RawAnswer) =>
  (json as { repositoryInstallUx: { status: string; installConfigId: string } }).repositoryInstallUx;
export const values = {
  title: 'Books',
  seats: 3,
  admin_password: 'Correct-horse-canary-42',
  public_url: 'https://wiki.example.org',
};

type InstallInput = {
  repository?: string;
  variables?: JsonObject;
  preflight?: CreateInstallPlan['preflight'];
  name?: string;
};

export type ManifestFixture = Awaited<ReturnType<typeof startManifestFixture>>;
/** A server with such repositories, and a tool that cannot plan. */
export async function startManifestFixture(env: Environment = {}) {
  const toolDir = tempDir();
  const [server, git] = await Promise.all([
    startTestServer({ env: { ...env, GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) } }),
    startGitHost(),
  ]);
  const repositories = createRepositories(git);
  let count = 0;
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
    server.request('POST', `/api/v1/sources/${sourceId}/compatibility-check`, {
      compileInstallUx: true,
      capsuleName: 'Wiki',
      ...body,
    });
  const configOf = async (capsuleConfigId: string) =>
    (await server.api.getInstallConfig({ params: { capsuleConfigId } })).body.installConfig;
  const requestOf = ({ repository = 'wiki', variables = values, preflight, name = `Wiki ${count}` }: InstallInput) => ({
    source: { name: 'Modules', url: git.url(repository), ref: 'main', path: '.' },
    capsule: { name, environment: 'test' },
    variables,
    ...(preflight && { preflight }),
  });
  const post = (input: InstallInput) => {
    count += 1;
    const path = `/api/v1/workspaces/${server.workspaceId}/install-plans`;
    return server.request('POST', path, requestOf(input), { 'idempotency-key': `key ${count}` });
  };
  /** Installs up to the plan, which the fake tool cannot make. */
  async function install(input: InstallInput = {}): Promise<InstallPlan> {
    const response = await post(input);
    if (response.status !== 201) throw new Error(response.text);
    const { installPlan } = response.json as { installPlan: InstallPlan };
    for (;;) {
      const answer = await server.api.reconcileInstallPlan({ params: { installPlanId: installPlan.id } });
      const now = answer.body.installPlan;
      if (now.phase === 'failed' || now.phase === 'reviewable') return now;
    }
  }

  /** One that tests may commit to. */
  const repository = (name: string) => repositories.get(name) as TestRepository;
  const urlOf = (name: string) => git.url(name);
  const close = async () => {
    await Promise.all([server.close(), git.close()]);
    fs.rmSync(toolDir, { recursive: true });
  };
  return { server, policy, repository, urlOf, synced, check, configOf, post, install, close };
}

/** Fields of an installation that refer to this check. */
export async function preflightOf(
  sourceId: string,
  answer: RawAnswer,
): Promise<NonNullable<CreateInstallPlan['preflight']>> {
  const { report, run } = answer.json as { report: { id: string; sourceSnapshotId: string }; run: { id: string } };
  return {
    sourceId,
    sourceSnapshotId: report.sourceSnapshotId,
    compatibilityCheckRunId: run.id,
    compatibilityReportId: report.id,
    installConfigId: uxOf(answer).installConfigId,
  };
}
