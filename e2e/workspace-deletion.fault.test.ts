import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailpointName } from '#server/kernel/failpoints';
import type { WorkspaceDeletion } from '#shared/workspace-deletions/contract';
import { actingTables, historyTables } from '../server/src/domains/workspace-deletions/tables.ts';
import { filesHolding } from '../server/test/data-files.ts';
import { writePackages } from '../server/test/form-host.ts';
import { formPackage, identityOf } from '../server/test/form-package.ts';
import { armFailpoint } from './fixtures/crash.ts';
import { expectSoundLedger } from './fixtures/crash-checks.ts';
import { depth } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { createRandom } from './fixtures/random.ts';

const random = createRandom();
const passes = (name: FailpointName, most: number): string[] =>
  Array.from({ length: most }, (_, at) => `${name}@${at + 1}`);
/** Every point of a deletion: its transaction, the commits of its rows, and the steps between them. */
const allPoints = [
  'deletion.shredded@1',
  'deletion.moved@1',
  'deletion.emptied@1',
  ...passes('deletion.rows', historyTables.length),
  'deletion.completed@1',
  ...passes('ledger.commit', historyTables.length + 2),
  ...passes('ledger.committed', historyTables.length + 2),
];
/** A quick run takes the ends of the transactions, and one of the others by the seed. */
const points = depth({
  quick: ['deletion.shredded@1', 'ledger.committed@1', allPoints[random.below(allPoints.length)] as string],
  deep: allPoints,
});
const canary = 'Cny-workspace-deletion-5f1c';

let harness: Harness;
let marks = '';
let round = 0;
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness();
});
afterAll(async () => {
  await harness?.stop();
  rmSync(marks, { recursive: true, force: true });
});

type Filled = { workspaceId: string; handle: string; capsuleId: string; runIds: string[]; keys: Buffer[] };

/** A Workspace with an applied Capsule, a Connection and a Resource of the form host. */
async function fillWorkspace(): Promise<Filled> {
  round += 1;
  const handle = `leaving-${round}`;
  const { http } = harness;
  const made = await http.post<{ workspace: { id: string } }>('/api/v1/workspaces', { handle });
  const workspaceId = made.body.workspace.id;
  const values = { GIT_HTTPS_TOKEN: canary };
  await http.post('/api/v1/connections', { workspaceId, provider: 'git', kind: 'source_git_https_token', values });
  const { url } = harness.repository(handle, { 'main.tf': 'resource "terraform_data" "note" {}\n' });
  const inside = { ...harness, workspaceId };
  const { capsuleId, plan } = await installPlanned(inside, { url, name: 'shop' });
  await applyPlan(inside, plan);
  addFormResource(workspaceId);
  const runIds = query<string>('SELECT id FROM runs WHERE workspace_id = ?', workspaceId);
  return { workspaceId, handle, capsuleId, runIds, keys: keysOf(workspaceId) };
}

function query<T>(text: string, workspace: string): T[] {
  const ledger = new Database(path.join(harness.server.dataDir, 'ledger.db'), { readonly: true });
  try {
    return ledger.prepare(text).pluck().all(workspace) as T[];
  } finally {
    ledger.close();
  }
}
const keysOf = (workspaceId: string) => query<Buffer>('SELECT wrapped FROM data_keys WHERE scope = ?', workspaceId);

const nativeFileOf = (workspaceId: string) =>
  path.join(harness.server.dataDir, 'forms', 'native', `${workspaceId}.json`);

/** Adds a Resource with its native object, which the form host of a server wrote before it was turned off. */
function addFormResource(workspaceId: string): void {
  const form = formPackage();
  writePackages(harness.server.dataDir, [form]);
  const file = nativeFileOf(workspaceId);
  const owner = { workspaceId, resourceId: `res_${workspaceId}`, generation: 1, operation: 'sha256:1' };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ spec: { note: canary }, owner }), { mode: 0o600 });
  const ledger = new Database(path.join(harness.server.dataDir, 'ledger.db'));
  ledger
    .prepare(
      `INSERT INTO form_resources (id, workspace_id, kind, name, form, generation, spec, native_id, imported, ready,
         drifted_fields, created_by, created_at, updated_by, updated_at)
       VALUES (?, ?, 'Bucket', 'one', ?, 1, '{}', ?, 0, 1, '[]', 'acc_none', 1, 'acc_none', 1)`,
    )
    .run(owner.resourceId, workspaceId, JSON.stringify(identityOf(form)), workspaceId);
  ledger.close();
}

const remove = ({ workspaceId, handle, capsuleId }: Filled) =>
  harness.http.post<unknown>('/api/v1/workspace-deletions', {
    workspaceId,
    confirmHandle: handle,
    leaveCapsuleIds: [capsuleId],
  });

/** Requests the deletion. Resolves when it is completed or the server has died. */
async function removeUntilStruck(filled: Filled): Promise<void> {
  const address = `/api/v1/workspace-deletions/${filled.workspaceId}`;
  const isOver = async () =>
    (await harness.http.get<{ deletion?: WorkspaceDeletion }>(address)).body.deletion?.status !== 'deleting';
  const completed = async () => {
    await remove(filled);
    while (!(await isOver()));
  };
  await Promise.race([harness.server.gone, completed().catch(() => harness.server.gone)]);
}

/** Everything of the Workspace is there and works. */
async function expectWhole({ workspaceId, capsuleId, runIds, keys }: Filled): Promise<void> {
  expect((await harness.http.get(`/api/v1/workspaces/${workspaceId}`)).status).toBe(200);
  expect((await harness.http.get(`/api/v1/capsules/${capsuleId}/configuration`)).status).toBe(200);
  expect(query('SELECT id FROM runs WHERE workspace_id = ?', workspaceId)).toEqual(runIds);
  expect(keysOf(workspaceId)).toEqual(keys);
  expect(existsSync(nativeFileOf(workspaceId))).toBe(true);
  expect(await findDoctorProblems(harness)).toEqual([]);
}

/** Nothing of the Workspace is left but its trail and its tombstone. */
async function expectGone({ workspaceId, capsuleId, runIds, keys, handle }: Filled): Promise<void> {
  const address = `/api/v1/workspace-deletions/${workspaceId}`;
  const read = async () => (await harness.http.get<{ deletion: WorkspaceDeletion }>(address)).body.deletion;
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('deleted');
  expect(await read()).toMatchObject({ handle, leftCapsules: [{ id: capsuleId, name: 'shop' }] });
  expect((await harness.http.get(`/api/v1/capsules/${capsuleId}`)).status).toBe(404);
  const { dataDir } = harness.server;
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
  const left = [...actingTables, ...historyTables].filter(
    ({ name, where }) => ledger.prepare(`SELECT 1 FROM ${name} WHERE ${where}`).get({ workspaceId }) !== undefined,
  );
  ledger.close();
  expect([left, keysOf(workspaceId)]).toEqual([[], []]);
  const folders = ['runs', 'capsules'].flatMap((name) => readdirSync(path.join(dataDir, name)));
  expect(folders.filter((name) => name === capsuleId || runIds.includes(name))).toEqual([]);
  expect(filesHolding(dataDir, canary, ...keys)).toEqual([]);
  const actions = query('SELECT action FROM audit_events WHERE workspace_id = ?', workspaceId);
  expect(actions.filter((action) => action === 'workspace.erased')).toHaveLength(1);
  await expectSoundLedger(harness);
  expect(await findDoctorProblems(harness)).toEqual([]);
}

describe('a server that dies while it deletes a Workspace', () => {
  it.for(points)('at %s has deleted nothing, or completes the deletion', { timeout: 120_000 }, async (point) => {
    const filled = await fillWorkspace();
    const mark = await armFailpoint(harness, `${point}:kill`, path.join(marks, `${round}`));
    // A commit of the start itself may strike before the request.
    if (!existsSync(mark)) await removeUntilStruck(filled);
    await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
    const isWhole =
      query('SELECT workspace_id FROM workspace_deletions WHERE workspace_id = ?', filled.workspaceId).length === 0;
    if (isWhole) {
      await expectWhole(filled);
      expect((await remove(filled)).status).toBe(201);
    }
    await expectGone(filled);
  });
});
