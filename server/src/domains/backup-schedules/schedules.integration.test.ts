import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { digestOf } from '#server/kernel/digest';
import { removeTree } from '#server/kernel/remove-tree';
import { storageBody } from '../../../test/connection-bodies.ts';
import { heldClock, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { errorAnswer, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { nextDue } from './next-due.ts';
import { findFolderRefusal } from './targets.ts';

const dayMs = 86_400_000;
const clock = heldClock();
let server: TestServer;
let bucket: ObjectBucket;
const allowed = tempDir();
beforeAll(async () => {
  bucket = await startObjectBucket();
  server = await startTestServer({ clock, env: { GROUNDCTL_BACKUP_FOLDERS: allowed } });
});
afterAll(async () => {
  await server.close();
  await bucket.close();
  removeTree(allowed);
});

const params = () => ({ workspaceId: server.workspaceId });
const save = async (target: unknown, keep = 2) =>
  server.request('PUT', `/api/v1/workspaces/${server.workspaceId}/backup-schedule`, { hour: 3, keep, target });
const read = async () => (await server.api.getBackupSchedule({ params: params() })).body;
const attention = async () => {
  const { body } = await server.api.getAttention({ params: params(), query: { kind: 'backup' } });
  return body.items.map(({ isOverdue = false }) => (isOverdue ? 'overdue' : 'failed'));
};
/** Returns the reports of the history about the schedule, oldest first, since the last call. */
const newReports = (): string[] =>
  server.ledger(({ sqlite }) => {
    const rows = sqlite
      .prepare("SELECT seq, action FROM audit_events WHERE action LIKE 'backup_schedule.%' AND seq > ? ORDER BY seq")
      .all(seen) as { seq: number; action: string }[];
    seen = rows.at(-1)?.seq ?? seen;
    return rows.map(({ action }) => action.replace('backup_schedule.', '')).filter((action) => action !== 'saved');
  });
let seen = 0;
const waitFor = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
/** Counts the backups that were made, with those that a schedule has deleted. */
const countBackups = () =>
  server.ledger(({ sqlite }) =>
    sqlite.prepare("SELECT count(*) FROM runs WHERE type = 'backup' AND status = 'succeeded'").pluck().get(),
  ) as number;
const start = () => server.api.startScheduledBackup({ params: params() });
/** Makes one backup and waits until the copy is stored. */
async function makeOne(): Promise<string> {
  const before = (await read()).schedule?.lastSuccess?.backupId;
  await start();
  await waitFor(async () => {
    const { schedule } = await read();
    expect(schedule?.lastSuccess?.backupId).not.toBe(before);
    expect(schedule?.current).toBeUndefined();
  });
  clock.advance(1_000);
  return (await read()).schedule?.lastSuccess?.backupId ?? '';
}

test('a day in UTC has one time of a schedule, which is always in the future', () => {
  const noon = Date.parse('2030-01-01T12:00:00.000Z');
  expect(nextDue(3, noon)).toBe(Date.parse('2030-01-02T03:00:00.000Z'));
  expect(nextDue(13, noon)).toBe(Date.parse('2030-01-01T13:00:00.000Z'));
  expect(nextDue(12, noon)).toBe(noon + dayMs);
});

test('there is no schedule, and no backup was ever made', async () => {
  expect(await read()).toEqual({});
  await expect(start()).rejects.toMatchObject({ code: 'not_found' });
});

test('a folder outside those of the operator is refused, also through a link', async () => {
  const link = path.join(allowed, 'link');
  fs.symlinkSync('/etc', link);
  for (const folder of ['/etc', link, `${allowed}/../`, path.join(allowed, 'absent'), 'relative'])
    expect(await save({ kind: 'folder', path: folder })).toMatchObject({
      status: 400,
      json: { error: { details: { reason: 'backup_folder_invalid', field: '/target/path' } } },
    });
  fs.rmSync(link);
  expect(await read()).toEqual({});
});

test('a folder in the data folder is refused, although the operator named one that contains it', () => {
  const dataDir = path.join(allowed, 'data');
  const backups = path.join(dataDir, 'backups');
  const link = path.join(allowed, 'link');
  fs.mkdirSync(backups, { recursive: true });
  fs.symlinkSync(backups, link);
  const rules = { folders: [allowed], dataDir };
  for (const target of [dataDir, backups, link]) expect(findFolderRefusal(target, rules)).toMatch(/data folder/);
  expect(findFolderRefusal(allowed, rules)).toBeUndefined();
  fs.rmSync(link);
  fs.rmSync(dataDir, { recursive: true });
});

test('backups are copied to a folder, and only the newest of them stay', async () => {
  const foreign = path.join(allowed, 'foreign.age');
  fs.writeFileSync(foreign, 'of a person');
  expect((await save({ kind: 'folder', path: allowed })).status).toBe(200);
  const made = [await makeOne(), await makeOne(), await makeOne()];
  await waitFor(async () => {
    expect(fs.readdirSync(allowed).toSorted()).toEqual(
      ['foreign.age', ...made.slice(1).map((id) => `${id}.age`)].toSorted(),
    );
    expect(fs.readdirSync(path.join(server.dataDir, 'backups')).toSorted()).toEqual(
      made
        .slice(1)
        .map((id) => `${id}.age`)
        .toSorted(),
    );
  });
  const { schedule, lastBackupAt } = await read();
  const { location = '', digest, sizeBytes } = schedule?.lastSuccess ?? {};
  const bytes = fs.readFileSync(location);
  expect([digestOf(bytes), bytes.length]).toEqual([digest, sizeBytes]);
  expect(lastBackupAt).toBeDefined();
  fs.rmSync(foreign);
});

test('several missed days make one backup', async () => {
  const before = countBackups();
  expect([newReports(), await attention()]).toEqual([[], []]);
  clock.advance(5 * dayMs);
  expect(await attention()).toEqual(['overdue']);
  await server.restart();
  await waitFor(async () => {
    const { schedule } = await read();
    expect(schedule?.current).toBeUndefined();
    expect(Date.parse(schedule?.nextAt ?? '')).toBeGreaterThan(clock.now());
  });
  expect(countBackups()).toBe(before + 1);
  expect([newReports(), await attention()]).toEqual([['overdue', 'recovered'], []]);
});

test('a bucket that fails is tried again, with the same backup', async () => {
  clock.advance(1_000);
  const body = storageBody(server.workspaceId, bucket.connection);
  const { connection } = (await server.api.createConnection({ body })).body;
  expect((await save({ kind: 'object_storage', connectionId: connection.id })).status).toBe(200);
  bucket.fail(({ what }) => (what === 'complete' ? errorAnswer(503, 'SlowDown') : undefined));
  await start();
  await waitFor(async () => {
    const { schedule } = await read();
    expect(schedule?.lastFailure?.message).toMatch(/not available/);
    expect(schedule?.current).toMatchObject({ step: 'copying', attempts: 1 });
  });
  const count = countBackups();
  expect([newReports(), await attention()]).toEqual([['failed'], ['failed']]);
  bucket.fail(undefined);
  await server.restart();
  await start();
  await waitFor(async () => expect((await read()).schedule?.current).toBeUndefined());
  const { schedule } = await read();
  expect(schedule?.lastFailure).toBeUndefined();
  expect(schedule?.lastSuccess?.location).toBe(
    `s3://backups/ground-control/test/${schedule?.lastSuccess?.backupId}.age`,
  );
  expect(bucket.objects.keys()).toEqual([`ground-control/test/${schedule?.lastSuccess?.backupId}.age`]);
  expect(bucket.requests.filter(({ what }) => what === 'part 1')).toHaveLength(1);
  expect(countBackups()).toBe(count);
  expect([newReports(), await attention()]).toEqual([['recovered'], []]);
});

test('a bucket that stores something else is noticed, and its object is deleted', async () => {
  bucket.fail(({ method, what }, answer) =>
    method === 'GET' && what === 'object' && answer.status === 200
      ? { ...answer, body: Buffer.from('x'), headers: { 'content-length': '1' } }
      : undefined,
  );
  await start();
  await waitFor(async () => expect((await read()).schedule?.lastFailure?.message).toMatch(/differs from the backup/));
  expect(bucket.objects.keys()).toHaveLength(1);
});

test('a new target gets the backup that the former one could not take', async () => {
  expect((await read()).schedule?.current).toMatchObject({ step: 'copying' });
  // The copy that the bucket has is older.
  clock.advance(1_000);
  await save({ kind: 'folder', path: allowed });
  await waitFor(async () => {
    const { schedule } = await read();
    expect(schedule?.lastFailure).toBeUndefined();
    expect(schedule?.lastSuccess?.location).toBe(path.join(allowed, `${schedule?.lastSuccess?.backupId}.age`));
  });
  bucket.fail(undefined);
});

test('a copy that arrives after its schedule has ended is deleted', async () => {
  const before = fs.readdirSync(allowed);
  const { connections } = (await server.api.listConnections({ query: params() })).body;
  await save({ kind: 'object_storage', connectionId: connections[0]?.id });
  const arrived = Promise.withResolvers<undefined>();
  const goOn = Promise.withResolvers<undefined>();
  bucket.fail(({ what }) => {
    if (what !== 'complete') return undefined;
    arrived.resolve(undefined);
    return goOn.promise;
  });
  await start();
  await arrived.promise;
  const [stored = '', ...more] = bucket.objects.keys().toReversed();
  expect(more).toHaveLength(1);
  await server.api.deleteBackupSchedule({ params: params() });
  goOn.resolve(undefined);
  await waitFor(async () => expect(bucket.objects.keys()).not.toContain(stored));
  bucket.fail(undefined);
  expect(fs.readdirSync(allowed)).toEqual(before);
  expect((await save({ kind: 'folder', path: allowed })).status).toBe(200);
});

test('a schedule that ends leaves its copies', async () => {
  await server.api.deleteBackupSchedule({ params: params() });
  await server.api.deleteBackupSchedule({ params: params() });
  expect((await read()).schedule).toBeUndefined();
  expect(bucket.objects.keys()).toHaveLength(1);
});
