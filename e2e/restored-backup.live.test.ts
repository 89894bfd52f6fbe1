import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBackupKeyPair } from '#server/drivers/backup-archive/index';
import { removeTree } from '#server/kernel/remove-tree';
import type { Run } from '#shared/runs/contract';
import { settled } from './fixtures/feed.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import { createHttp } from './fixtures/http.ts';
import { type IssuedCredentials, issueCredentials, planIssued } from './fixtures/issued-credentials.ts';
import { applyPlan, installPlanned, planAgain, takeNewest } from './fixtures/journey.ts';
import { hasRealProviders, makeMirror } from './fixtures/mirror.ts';
import { thing } from './fixtures/modules.ts';
import { getInstallation } from './fixtures/restored.ts';
import { startServer } from './fixtures/server.ts';
import { findTool } from './fixtures/tool.ts';

/* A whole installation that is backed up beside its running server, restored into an empty folder and started. */

const localFile = `terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}
resource "local_file" "note" {
  filename = "\${path.module}/made/note.txt"
  content  = "note"
}
`;
const builtIn = 'resource "terraform_data" "note" {\n  input = "note"\n}\n';
const withIssued = `terraform {
  required_providers {
    fake = { source = "test/fake" }
  }
}
${thing('a')}`;
const counted = (count: number) => `resource "terraform_data" "note" {\n  count = ${count}\n}\n`;
const tool = findTool();
const root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-restored-'));
const inRoot = (name: string) => path.join(root, name);
const [file, dataDir, identityFile] = [inRoot('ground.age'), inRoot('restored'), inRoot('identity.txt')];
const env = { GROUNDCTL_PROVIDER_MIRROR: inRoot('mirror') };
const restoredEnv = { ...env, GROUNDCTL_KEY_FILE: inRoot('restored.key') };

let first: Harness;
let issued: IssuedCredentials;
let restored: Harness | undefined;
beforeAll(async () => {
  await makeMirror(env.GROUNDCTL_PROVIDER_MIRROR, tool);
  first = await startHarness({ env });
  issued = await issueCredentials(first);
});
afterAll(async () => {
  await restored?.server.stop();
  await first?.stop();
  await issued?.service.close();
  removeTree(root);
});

/** An applied Capsule with automatic updates, a drift schedule and a watched Source. */
async function installScheduled(): Promise<{ capsuleId: string; sourceId: string; repository: HarnessRepository }> {
  const main = hasRealProviders(tool) ? localFile : builtIn;
  const repository = first.repository('untouched', { 'main.tf': main });
  const { capsuleId, sourceId, plan } = await installPlanned(first, { url: repository.url, name: 'untouched' });
  expect(await applyPlan(first, plan)).toMatchObject({ status: 'succeeded' });
  const changes = { driftSchedule: 'daily', autoUpdate: true };
  expect((await first.http.patch(`/api/v1/capsules/${capsuleId}`, changes)).status).toBe(200);
  expect((await first.http.patch(`/api/v1/sources/${sourceId}`, { autoSync: true })).status).toBe(200);
  return { capsuleId, sourceId, repository };
}

/** An applied Capsule with the plan of a newer commit, which adds two resources. */
async function installOutdated(): Promise<{ capsuleId: string; plan: Run }> {
  const { url, commit } = first.repository('later', { 'main.tf': counted(1) });
  const { capsuleId, sourceId, plan } = await installPlanned(first, { url, name: 'later' });
  expect(await applyPlan(first, plan)).toMatchObject({ status: 'succeeded' });
  commit({ 'main.tf': counted(3) });
  await takeNewest(first, sourceId);
  return { capsuleId, plan: await planAgain(first, capsuleId) };
}

async function backUp(): Promise<void> {
  const { recipient, identity } = await createBackupKeyPair();
  writeFileSync(identityFile, `${identity}\n`, { mode: 0o600 });
  const made = await groundctl(['backup', '--all', file, '--data-dir', first.server.dataDir, '--recipient', recipient]);
  expect(made).toMatchObject({ code: 0, err: '' });
}

/** Restores the backup, and lets everything that has a schedule in it be due, as in an old backup. */
async function restore(): Promise<Harness> {
  const argv = ['restore', file, '--data-dir', dataDir, '--identity-file', identityFile];
  expect(await groundctl(argv, { env: restoredEnv })).toMatchObject({ code: 0, err: '' });
  const ledger = new Database(path.join(dataDir, 'ledger.db'));
  const changed = [
    'drift_schedules SET due_at = 1',
    'credential_issuances SET due_at = 1',
    'sources SET polled_at = 1',
  ];
  expect(changed.map((update) => ledger.prepare(`UPDATE ${update}`).run().changes)).toEqual([1, 1, 3]);
  ledger.close();
  const server = await startServer({ dataDir, env: restoredEnv });
  return { ...first, server, http: createHttp(server) };
}

const listRuns = async ({ http, workspaceId }: Harness): Promise<Run[]> =>
  (await http.get<{ runs: Run[] }>(`/api/v1/workspaces/${workspaceId}/runs?limit=100`)).body.runs;

it('is paused, holds what was applied before the backup, and works again after the pause', {
  timeout: 120_000,
}, async () => {
  const untouched = await installScheduled();
  const later = await installOutdated();
  issued.service.delete = (response) => void response.writeHead(503).end();
  await planIssued(first, issued, { name: 'issued', main: withIssued });
  await issued.service.arrived('DELETE', 1);
  await expect.poll(async () => (await listRuns(first)).filter(({ status }) => status === 'running')).toEqual([]);
  await backUp();
  expect(await applyPlan(first, later.plan)).toMatchObject({ status: 'succeeded' });
  await first.server.stop();
  untouched.repository.commit({ 'more.tf': 'output "more" {\n  value = 1\n}\n' });
  issued.service.delete = undefined;

  restored = await restore();
  const [before, gitRequests] = [await listRuns(restored), first.gitRequests];
  expect(await getInstallation(restored)).toMatchObject({ paused: true });
  const same = await planAgain(restored, untouched.capsuleId);
  expect(same).toMatchObject({ status: 'succeeded', planResources: [] });
  const changed = await planAgain(restored, later.capsuleId);
  expect(changed.planResources).toEqual(later.plan.planResources);
  expect(changed.planResources).toHaveLength(2);
  const own = new Set([...before, same, changed].map(({ id }) => id));
  expect((await listRuns(restored)).filter(({ id }) => !own.has(id))).toEqual([]);
  expect([first.gitRequests, issued.service.revoked]).toEqual([gitRequests, []]);
  await expectSound();

  expect(await resume()).toMatchObject({ code: 0 });
  await expect.poll(() => issued.service.revoked).toEqual([...issued.service.issued.values()]);
  await expect.poll(() => listStarted(own)).toEqual(expect.arrayContaining(['drift_check', 'plan', 'source_sync']));
  for (const { id } of await listRuns(restored)) await settled(restored.server, id);
  expect(await applyPlan(restored, changed)).toMatchObject({ status: 'succeeded' });
  await expectSound();
});

const onRestored = (...argv: string[]) => groundctl([...argv, '--data-dir', dataDir], { env: restoredEnv });
const resume = () => onRestored('installation', 'resume');

/** Types of the Runs that the server has started on its own. */
async function listStarted(own: ReadonlySet<string>): Promise<string[]> {
  const runs = restored ? await listRuns(restored) : [];
  return [...new Set(runs.filter(({ id }) => !own.has(id)).map(({ type }) => type))].sort();
}

async function expectSound(): Promise<void> {
  expect(await onRestored('doctor')).toMatchObject({ code: 0, err: '' });
  const { code, out } = await onRestored('audit', 'verify');
  expect([code, out]).toEqual([0, expect.stringContaining('The trail is whole.')]);
}
