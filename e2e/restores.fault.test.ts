import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailpointName } from '#server/kernel/failpoints';
import type { Backup } from '#shared/backups/contract';
import type { Run } from '#shared/runs/contract';
import { armFailpoint } from './fixtures/crash.ts';
import { expectSoundLedger } from './fixtures/crash-checks.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { getCapsule, stateVersions } from './fixtures/journey.ts';
import { applyAroundBackup, backUp, completeRestore, requestRestore } from './fixtures/restores.ts';

let harness: Harness;
let marks = '';
let around: { capsuleId: string; backup: Backup };
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness();
  around = await applyAroundBackup(harness, 'counted');
}, 120_000);
afterAll(async () => {
  await harness?.stop();
  rmSync(marks, { recursive: true, force: true });
});

/** Runs work on a server that dies at a failpoint, and starts it again. */
async function struckAt(point: FailpointName, work: () => Promise<unknown>): Promise<void> {
  const mark = await armFailpoint(harness, `${point}@1:kill`, path.join(marks, point));
  const { gone } = harness.server;
  await Promise.race([gone, work().catch(() => gone)]);
  expect(existsSync(mark)).toBe(true);
  await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
}

const runsOf = async (type: 'backup' | 'restore'): Promise<Run[]> =>
  (await harness.http.get<{ runs: Run[] }>(`/api/v1/workspaces/${harness.workspaceId}/runs?type=${type}`)).body.runs;
const listBackups = async (): Promise<Backup[]> =>
  (await harness.http.get<{ backups: Backup[] }>(`/api/v1/workspaces/${harness.workspaceId}/backups`)).body.backups;
const files = (): string[] => readdirSync(path.join(harness.server.dataDir, 'backups')).sort();

/** Every file has its record, every record its file, and nothing is in progress. */
async function expectWhole(): Promise<void> {
  await expect.poll(async () => (await runsOf('backup'))[0]?.status, { timeout: 20_000 }).not.toBe('running');
  expect(files()).toEqual((await listBackups()).map(({ id }) => `${id}.age`).sort());
  await expectSoundLedger(harness);
  expect(await findDoctorProblems(harness)).toEqual([]);
}

const backupPoints: FailpointName[] = [
  'backup.begin',
  'backup.copied',
  'backup.written',
  'backup.renamed',
  'backup.recorded',
];

describe('a server that dies while it makes a backup', () => {
  it.for(backupPoints)(
    'at %s leaves a failed Run and no file, and makes the next one',
    { timeout: 120_000 },
    async (point) => {
      const before = (await listBackups()).length;
      await struckAt(point, () => backUp(harness, around.capsuleId));
      await expectWhole();
      expect([(await runsOf('backup'))[0]?.status, (await listBackups()).length]).toEqual(['failed', before]);
      await backUp(harness, around.capsuleId);
      await expectWhole();
      expect((await listBackups()).length).toBe(before + 1);
    },
  );
});

const restorePoints: FailpointName[] = [
  'restore.requested',
  'restore.begin',
  'state.inserted',
  'capsule.commit',
  'restore.state',
  'restore.recorded',
];

describe('a server that dies while it restores', () => {
  it.for(restorePoints)('at %s has restored nothing, and completes it once', { timeout: 120_000 }, async (point) => {
    const { capsuleId, backup } = around;
    const before = await getCapsule(harness, capsuleId);
    const known = new Set((await runsOf('restore')).map(({ id }) => id));
    await struckAt(point, async () => completeRestore(harness, (await requestRestore(harness, backup.id)).id));
    const left = (await runsOf('restore')).find(({ id }) => !known.has(id));
    expect(left === undefined).toBe(point === 'restore.requested');
    const run = left ?? (await requestRestore(harness, backup.id));
    expect(await completeRestore(harness, run.id)).toMatchObject({ status: 'succeeded' });
    const after = await getCapsule(harness, capsuleId);
    expect(after.currentStateGeneration).toBe(before.currentStateGeneration + 1);
    const made = (await stateVersions(harness, capsuleId)).filter(({ createdByRunId }) => createdByRunId === run.id);
    expect(made.map(({ id }) => id)).toEqual([after.currentStateVersionId]);
    await expectSoundLedger(harness);
    expect(await findDoctorProblems(harness)).toEqual([]);
  });
});
