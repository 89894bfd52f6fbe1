import fs from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { awsBody } from './connection-bodies.ts';
import { writeFakeTool } from './fake-tool.ts';
import { type GitHost, startGitHost } from './git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer, tempDir } from './harness.ts';

const module = `terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {}
provider "aws" {
  alias = "west"
}
variable "region" { type = string }
`;

/** The server of this file's tests with a Git server beside it, from `serveBindings` on. */
export let server: TestServer;
let git: GitHost;
/** The module's repository. */
export let repository: ReturnType<GitHost['repository']>;
/** The inspected commit of the module. */
export let commit: string;
let cachedPreflight: Promise<NonNullable<CreateInstallPlan['preflight']>> | undefined;

/** One server for all tests of a file, and a module with two configurations of one provider. */
export function serveBindings(): void {
  const toolDir = tempDir();
  beforeAll(async () => {
    // It reports its version and cannot plan, so every plan fails and the Capsule stays unchanged.
    const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
    cachedPreflight = undefined;
    [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
    repository = git.repository('cloud');
    commit = repository.commit({ 'main.tf': module, 'two/main.tf': 'output "a" { value = 1 }\n' });
  });
  afterAll(async () => {
    await Promise.all([server.close(), git.close()]);
    fs.rmSync(toolDir, { recursive: true });
  });
}

/** Hints of a Connection for the module's inputs. */
export const region = { moduleInputDefaults: { region: 'eu-central-1' } };
/** Creates a Connection and returns its id. */
export const connect = async (body: object = awsBody(server.workspaceId, { scopeHints: region })): Promise<string> =>
  (await server.api.createConnection({ body: body as never })).body.connection.id;
/** The tuple of one provider configuration, with its Connection. */
export const bind = (connectionId: string, more: Partial<ProviderBinding> = {}): ProviderBinding => ({
  provider: 'registry.terraform.io/hashicorp/aws',
  moduleLocalName: 'aws',
  connectionId,
  ...more,
});

/** A synced and checked Source, as the install screen leaves it. */
export const inspectSource = () => {
  cachedPreflight ??= (async () => {
    const { workspaceId } = server;
    const source = { workspaceId, name: 'Cloud', url: git.url('cloud'), defaultRef: 'main', defaultPath: '.' };
    const params = { sourceId: (await server.api.createSource({ body: source })).body.source.id };
    await server.ended((await server.api.syncSource({ params, body: {} })).body.run.id);
    const { report, run } = (await server.api.checkCompatibility({ params, body: { modulePath: '.' } })).body;
    return {
      ...params,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityCheckRunId: run.id,
      compatibilityReportId: report.id,
      installConfigId: 'cfg-default-opentofu-capsule',
    };
  })();
  return cachedPreflight;
};

let count = 0;
/** A number that no earlier request of this file used. */
export const nextNumber = (): number => {
  count += 1;
  return count;
};
/** Fields of an installation request besides its Source. */
export type InstallInput = Partial<Omit<CreateInstallPlan, 'source'>> & { ref?: string };
/** A request of an installation with a unique name. */
export function requestOf({ ref = 'main', ...more }: InstallInput): CreateInstallPlan {
  return {
    source: { name: 'Cloud', url: git.url('cloud'), ref, path: '.' },
    capsule: { name: `Cloud ${nextNumber()}`, environment: 'test' },
    ...more,
  };
}
/** Posts an installation with the key of the last request. */
export const post = (request: CreateInstallPlan, token = server.token): Promise<RawAnswer> =>
  server.raw({
    method: 'POST',
    path: `/api/v1/workspaces/${server.workspaceId}/install-plans`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `install ${count}`,
    },
    body: JSON.stringify(request),
  });
/** Posts a new request. */
export const requestInstall = async (input: InstallInput): Promise<RawAnswer> => post(requestOf(input));
/** A request of an installation that names the inspected snapshot. */
export async function preflighted(bindings: ProviderBinding[], more: InstallInput = {}): Promise<CreateInstallPlan> {
  return requestOf({
    preflight: await inspectSource(),
    options: { modulePath: '.', providerBindings: bindings },
    ...more,
  });
}
/** Parts of an error response: status, reason or code, the other details. */
export const refusalOf = ({ status, json }: RawAnswer) => {
  const { code, details = {} } = (json as { error?: { code: string; details?: Record<string, unknown> } }).error ?? {};
  const { reason, ...rest } = details;
  return [status, reason ?? code, rest] as const;
};
/** Returns the installation in a response. */
export const planIn = ({ json }: RawAnswer) => (json as { installPlan: { id: string } }).installPlan;
/** Reconciles to the end. */
export async function finish(installPlanId: string) {
  for (;;) {
    const { status, body } = await server.api.getInstallPlan({ params: { installPlanId } });
    expect(status).toBe(200);
    if (body.nextAction !== 'reconcile') return body.installPlan;
    await server.api.reconcileInstallPlan({ params: { installPlanId } });
  }
}
/** Returns the Capsule of a completed installation. */
export async function installed(bindings: ProviderBinding[]): Promise<string> {
  const { capsuleId = '' } = await finish(planIn(await post(await preflighted(bindings))).id);
  return capsuleId;
}
/** Returns the bindings of a Capsule, and their current resolution. */
export const bindingsOf = async (capsuleId: string) =>
  (await server.api.getProviderBindings({ params: { capsuleId } })).body;
/** Resolution of each, or the reason why it does not resolve. */
export const statusesOf = (resolutions: readonly { status: string; blockedReason?: string | undefined }[] = []) =>
  resolutions.map(({ status, blockedReason }) => blockedReason ?? status);
export const resolved = 'resolved_provider_connection';
