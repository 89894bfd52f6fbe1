import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackupSchedule } from '#shared/backup-schedules/contract';
import { storageBody } from '../server/test/connection-bodies.ts';
import { type ObjectBucket, startObjectBucket } from '../server/test/object-bucket.ts';
import { expectSoundLedger } from './fixtures/crash-checks.ts';
import { depth } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';

let harness: Harness;
let bucket: ObjectBucket;
beforeAll(async () => {
  bucket = await startObjectBucket();
  harness = await startHarness();
  const account = storageBody(harness.workspaceId, bucket.connection);
  const { body } = await harness.http.post<{ connection: { id: string } }>('/api/v1/connections', account);
  const target = { kind: 'object_storage', connectionId: body.connection.id };
  expect((await harness.http.put(schedulePath(), { hour: 3, keep: 14, target })).status).toBe(200);
});
afterAll(async () => {
  await harness?.stop();
  await bucket?.close();
});

const schedulePath = () => `/api/v1/workspaces/${harness.workspaceId}/backup-schedule`;
const readSchedule = async () => (await harness.http.get<{ schedule: BackupSchedule }>(schedulePath())).body.schedule;
const listBackups = async (): Promise<string[]> => {
  const path = `/api/v1/workspaces/${harness.workspaceId}/backups`;
  return (await harness.http.get<{ backups: { id: string }[] }>(path)).body.backups.map(({ id }) => id);
};

/** Requests of one copy, in their order: it is looked up, sent, and read back. */
type Moment = readonly [what: string, number: number];
const moments: Moment[] = depth({
  quick: [
    ['part 1', 1],
    ['object', 2],
  ],
  deep: [
    ['object', 1],
    ['start upload', 1],
    ['part 1', 1],
    ['complete', 1],
    ['object', 2],
  ],
});

/** Resolves when the server was killed: the bucket has done what a request of a copy says, and answers it no more. */
function killAt([what, number]: Moment): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let seen = 0;
  bucket.fail(async (request) => {
    if (request.what === what) seen += 1;
    if (request.what !== what || seen !== number) return undefined;
    await harness.server.kill9().then(resolve, reject);
    return 'cut';
  });
  return promise;
}

describe('a server that is killed while it stores the copy of a backup in a bucket', () => {
  it.for(moments)(
    'before the answer to %s number %i sends the rest at its next start, and nothing twice',
    { timeout: 60_000 },
    async (moment) => {
      const [backups, uploads] = [await listBackups(), bucket.objects.uploads().length];
      const sent = bucket.requests.length;
      const killed = killAt(moment);
      expect((await harness.http.post(`${schedulePath()}/start`, {})).status).toBe(202);
      await killed;
      bucket.fail(undefined);
      await harness.server.restart();
      await expect.poll(async () => (await readSchedule()).current, { timeout: 30_000 }).toBeUndefined();

      const { lastSuccess, lastFailure, stored } = await readSchedule();
      const after = await listBackups();
      const made = after.filter((id) => !backups.includes(id));
      expect([made, lastFailure]).toEqual([[lastSuccess?.backupId], undefined]);
      expect(bucket.objects.keys()).toEqual(after.map((id) => `ground-control/test/${id}.age`).sort());
      expect([stored, after.length]).toEqual(Array(2).fill(backups.length + 1));
      const requests = bucket.requests.slice(sent).map(({ what }) => what);
      expect(requests.filter((what) => what === 'part 1' || what === 'complete')).toEqual(['part 1', 'complete']);
      // The server never knew the upload whose start was not answered. A rule of the bucket ends it.
      expect(bucket.objects.uploads().length - uploads).toBe(moment[0] === 'start upload' ? 1 : 0);
      await expectSoundLedger(harness);
      expect(await findDoctorProblems(harness)).toEqual([]);
    },
  );
});
