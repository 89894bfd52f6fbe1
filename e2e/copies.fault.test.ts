import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FailpointName } from '#server/kernel/failpoints';
import type { Copy, CopyRevision } from '#shared/copies/contract';
import { armFailpoint } from './fixtures/crash.ts';
import { expectSoundLedger } from './fixtures/crash-checks.ts';
import { timesOf } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import { createRandom } from './fixtures/random.ts';

let harness: Harness;
let called: HarnessRepository;
let sourceId = '';
let marks = '';
const commits = new Set<string>();
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness({ secureGit: true });
  called = harness.repository('called', { 'main.tf': 'output "value" {\n  value = 0\n}\n' });
  const { url } = harness.repository('caller', { 'main.tf': `module "a" {\n  source = "git::${called.url}"\n}\n` });
  const { workspaceId, http } = harness;
  const { source } = (await http.post<{ source: { id: string } }>('/api/v1/sources', { workspaceId, name: 'x', url }))
    .body;
  sourceId = source.id;
  const { run } = (await http.post<{ run: { id: string } }>(`/api/v1/sources/${sourceId}/sync`, {})).body;
  const statusOf = async () => (await http.get<{ run: { status: string } }>(`/api/v1/runs/${run.id}`)).body.run.status;
  await until(async () => (await statusOf()) === 'succeeded');
});
afterAll(async () => {
  await harness?.stop();
  rmSync(marks, { recursive: true, force: true });
});

const until = (isThere: () => Promise<boolean>) => vi.waitUntil(isThere, { timeout: 30_000, interval: 50 });
const copiesOf = async () =>
  (await harness.http.get<{ copies: Copy[] }>(`/api/v1/workspaces/${harness.workspaceId}/copies`)).body.copies;
const readRevision = async ({ copyId, id }: { copyId: string; id: string }) =>
  (await harness.http.get<{ revision: CopyRevision }>(`/api/v1/copies/${copyId}/revisions/${id}`)).body.revision;

/** Waits until a revision has this status. The server may die before and be back. */
async function awaitStatus(at: { copyId: string; id: string }, status: CopyRevision['status']): Promise<CopyRevision> {
  const isBusy = ['preparing', 'making'];
  await until(async () => !isBusy.includes((await readRevision(at)).status));
  const revision = await readRevision(at);
  expect([revision.status, revision.error]).toEqual([status, undefined]);
  return revision;
}

/** Requests a first copy, or else an update of new content. */
async function requestRevision(): Promise<CopyRevision> {
  const { http, workspaceId } = harness;
  const [copy] = await copiesOf();
  called.commit({ 'main.tf': `output "value" {\n  value = ${commits.size + 1}\n}\n` });
  const { body } = copy
    ? await http.post<{ revision: CopyRevision }>(`/api/v1/copies/${copy.id}/revisions`)
    : await http.post<{ revision: CopyRevision }>(`/api/v1/workspaces/${workspaceId}/copies`, { sourceId });
  expect(body, JSON.stringify(body)).toHaveProperty('revision');
  return body.revision;
}

const approve = async ({ copyId, id, review }: CopyRevision) =>
  harness.http.post(`/api/v1/copies/${copyId}/revisions/${id}/approve`, { reviewDigest: review?.digest });

async function expectWhole(revision: CopyRevision): Promise<void> {
  const [copy] = await copiesOf();
  expect(await copiesOf()).toHaveLength(1);
  expect(copy).toMatchObject({ currentRevisionId: revision.id });
  expect(copy).not.toHaveProperty('openRevisionId');
  const { dataDir } = harness.server;
  await until(async () => readdirSync(path.join(dataDir, 'copy-work')).length === 0);
  await until(async () => {
    const snapshots = `/api/v1/sources/${copy?.sourceId}/snapshots`;
    const { body } = await harness.http.get<{ snapshots: { resolvedCommit: string }[] }>(snapshots);
    return body.snapshots[0]?.resolvedCommit === revision.commit;
  });
  expect(commits.has(revision.commit ?? '')).toBe(false);
  commits.add(revision.commit ?? '');
  // The sync of the copy may still be running.
  await vi.waitFor(() => expectSoundLedger(harness), { timeout: 30_000, interval: 100 });
  expect(await findDoctorProblems(harness)).toEqual([]);
}

describe('a server that is killed while an installable copy is', () => {
  it.each<[string, FailpointName]>([
    ['prepared', 'copy.prepared'],
    ['published', 'copy.publish'],
    ['moved into its repository', 'copy.published'],
    ['recorded', 'copy.finish'],
    ['cleaned up', 'copy.finished'],
  ])('%s continues at its next start, without a second commit', async (_, name) => {
    const mark = await armFailpoint(harness, `${name}@1:kill`, path.join(marks, name));
    const first = await requestRevision();
    const at = { copyId: first.copyId, id: first.id };
    if (name === 'copy.prepared') {
      await harness.server.gone;
      await harness.server.restart();
    }
    const waiting = await awaitStatus(at, 'waiting_approval');
    await approve(waiting).catch(() => {});
    if (name !== 'copy.prepared') {
      await harness.server.gone;
      await harness.server.restart();
    }
    expect(existsSync(mark)).toBe(true);
    const made = await awaitStatus(at, 'succeeded');
    expect(made.commit).toBe(waiting.commit);
    await expectWhole(made);
  });

  const random = createRandom();
  const times = timesOf({ quick: 1, deep: 25 });
  /** About the time in which this copy is prepared, and in which it is made. */
  const workMs = 500;
  async function killSoon(): Promise<void> {
    await pause(random.below(workMs));
    await harness.server.kill9();
    await harness.server.restart();
  }

  it(`prepared and made, at random moments (${times} times two), makes one commit`, {
    timeout: 30_000 + times * 20_000,
  }, async () => {
    for (let time = 1; time <= times; time += 1) {
      const { copyId, id } = await requestRevision();
      await killSoon();
      const waiting = await awaitStatus({ copyId, id }, 'waiting_approval');
      expect((await approve(waiting)).status, `GROUNDCTL_TEST_SEED=${random.seed}, time ${time}`).toBe(200);
      await killSoon();
      const made = await awaitStatus({ copyId, id }, 'succeeded');
      expect(made.commit).toBe(waiting.commit);
      await expectWhole(made);
    }
  });
});
