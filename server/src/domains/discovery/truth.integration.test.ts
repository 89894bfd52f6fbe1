import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationNames, operationOf, seen } from '../../../test/answer-check.ts';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { addFormResource } from '../../../test/form-resource-records.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { type RawAnswer, type RawRequest, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { type MailServer, startMailServer } from '../../../test/mail-server.ts';
import { type ModuleRegistry, startModuleRegistry } from '../../../test/module-registry.ts';
import { writeProviders } from '../../../test/people.ts';
import { requestCopies } from '../../../test/requests/copies.ts';
import { requestEveryRoute } from '../../../test/requests/every-route.ts';

let server: TestServer;

/** Operations that succeeded without an activity record, and those with one. */
const quiet = new Set<string>();
const audited = new Set<string>();
let newest = 0;
function watchActivity({ method = 'GET', path: address }: RawRequest, { status }: RawAnswer): void {
  const operation = operationOf({ method, path: address });
  if (!server || !operation || method === 'GET' || status >= 400) return;
  const at = server.ledger(({ sqlite }) => sqlite.prepare('SELECT max(seq) FROM audit_events').pluck().get()) as number;
  (at > newest ? audited : quiet).add(operation.name);
  newest = at;
}

let git: GitHost;
let mail: MailServer;
let registry: ModuleRegistry;
const toolDir = tempDir();
beforeAll(async () => {
  // Files of one worker share it.
  seen.clear();
  mail = await startMailServer();
  const env = {
    GROUNDCTL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    GROUNDCTL_SMTP_FROM: 'ground@example.com',
    GROUNDCTL_NATS_URL: 'nats://127.0.0.1:1',
    GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir),
    GROUNDCTL_SIGN_IN_PROVIDERS: writeProviders(toolDir),
    GROUNDCTL_CA_FILE: '',
  };
  registry = await startModuleRegistry();
  env.GROUNDCTL_CA_FILE = registry.caFile;
  [server, git] = await Promise.all([startTestServer({ env, onAnswer: watchActivity }), startGitHost()]);
  git.repository('plain', { 'main.tf': 'output "a" { value = 1 }\n' }).git('tag', 'v1.0.0');
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  await mail.close();
  await registry.close();
  fs.rmSync(toolDir, { recursive: true });
});

/** These would install a tool from the network, or need a client with a secret or a bucket. */
const notRequested = [
  'saveBackupSchedule',
  'deleteBackupSchedule',
  'startScheduledBackup',
  'takeFence',
  'installTool',
  'getToolInstall',
  'introspectOauthToken',
];
/** These refuse until their feature exists, or in an installation that was not restored. */
const onlyRefusing = [
  'issueInterfaceToken',
  'retryMaterialization',
  'resumeInstallation',
  'resumeInstallationAsOperator',
  'issueInterfaceTokenAsOperator',
  'listFormPackages',
  'installFormPackage',
];

test('every mounted route answers as the published description says', { timeout: 90_000 }, async () => {
  await requestEveryRoute(server, git.url('plain'));
  await requestCopies(server, registry);
  const formResourceId = addFormResource(server, server.workspaceId);
  await server.api.listFormResourceRecords({ params: { workspaceId: server.workspaceId } });
  await server.api.getFormResourceRecord({ params: { formResourceId } });
  await server.api.listFormResourceRecordEvents({ params: { formResourceId } });
  expect(
    operationNames()
      .filter((name) => !seen.has(name))
      .toSorted(),
  ).toEqual([...notRequested, ...onlyRefusing].toSorted());
});

/**
 * These write no record: they read, start work that is recorded at its end, request a state that already exists,
 * exchange tokens under a consent that is recorded, or change only the screen of one person.
 */
const movesNothing = [
  'addFavorite',
  'checkCopyUpstream',
  'createSample',
  'exchangeOauthToken',
  'revokeOauthToken',
  'inspectInvitation',
  'previewProviderBindings',
  'resolveStableVersion',
  'resolveStableVersionAsOperator',
  'receiveSourceHook',
  'removeFavorite',
  'requestPasswordReset',
  'startOauth',
  'testMail',
  'updateCapsuleAsOperator',
  'unsealVault',
];

test('every successful write left a row in the history, and no row contains a value', () => {
  const silent = [...quiet].filter((name) => !audited.has(name) && !movesNothing.includes(name));
  expect(silent).toEqual([]);
  const rows = server.ledger(({ sqlite }) => sqlite.prepare('SELECT action, metadata FROM audit_events').all());
  expect(rows.length).toBeGreaterThan(40);
  expect(JSON.stringify(rows)).not.toMatch(/canary-|sess_|svcpat_|svchook_|svcinv_|PRIVATE KEY/);
});

test('the documents agree with each other and with the server', async () => {
  const { api, url } = server;
  const discovery = (await api.getDiscovery({})).body;
  const capabilities = (await api.getCapabilities({})).body;
  expect(capabilities).toMatchObject(discovery);
  expect(discovery).toMatchObject({
    product: 'svc',
    name: 'Ground Control',
    apiBaseUrl: `${url}/api/v1`,
    api_versions: ['svc.dev/v1alpha1'],
    features: { stacks: true, opentofu_runner: true, oidc: true, workload_identity: false, interfaces: true },
    endpoints: {
      capabilities: `${url}/api/v1/capabilities`,
      openapi: `${url}/openapi.json`,
      oidc_issuer: url,
      extensions: { interfaces: `${url}/api/v1/interfaces` },
    },
  });
  expect(capabilities.runner).toMatchObject({ available: true, toolName: 'tofu', toolVersion: '1.12.6' });
  expect(capabilities.manifest).toEqual({
    apiVersions: ['svc/v1', 'svc/v2', 'svc/v2.1', 'svc/v2.2', 'svc/v2.3', 'svc/v2.4'],
    runtimeBindings: false,
  });
  expect((await api.getReadiness({})).body).toMatchObject({ ok: true });
  expect(capabilities.limits).toMatchObject({ pageMax: 100, jsonBodyBytes: 1_048_576 });
});

test('the schema of a manifest is available for the versions that publish one', async () => {
  for (const version of ['v2.1', 'v2.2', 'v2.3', 'v2.4']) {
    const { body } = await server.api.getManifestSchema({ params: { version } });
    expect(body).toMatchObject({ properties: { apiVersion: { const: `svc/${version}` } } });
  }
  for (const version of ['v1', 'v2', 'v3', '__proto__'])
    await expect(server.api.getManifestSchema({ params: { version } })).rejects.toMatchObject({ status: 404 });
});
