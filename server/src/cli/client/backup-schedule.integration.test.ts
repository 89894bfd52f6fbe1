import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { storageBody } from '../../../test/connection-bodies.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { removeTree } from '../../kernel/remove-tree.ts';

const folder = tempDir();
let server: TestServer;
let bucket: ObjectBucket;
beforeAll(async () => {
  bucket = await startObjectBucket();
  server = await startTestServer({ env: { GROUNDCTL_BACKUP_FOLDERS: folder } });
});
afterAll(async () => {
  await server.close();
  await bucket.close();
  removeTree(folder);
});

const run = (...args: string[]) => groundctl('backup', 'schedule', ...args, '--data-dir', server.dataDir);
const read = async () => JSON.parse((await run('show', '--json')).out);

it('sets, changes and ends a schedule', async () => {
  expect((await run('show')).out).toContain('groundctl backup schedule set');
  expect((await run('off')).out).toBe('There was no schedule of backups.\n');
  const set = await run('set', '--hour', '3', '--keep', '14', '--folder', folder);
  expect([set.code, set.out]).toEqual([
    0,
    expect.stringMatching(
      /^Every day at 03:00 UTC to .*; 0 of 14 copies are there\.\nLast copy: none yet\nNext backup: /,
    ),
  ]);
  expect((await run('set', '--keep', '7')).code).toBe(0);
  expect((await read()).schedule).toMatchObject({ hour: 3, keep: 7, target: { kind: 'folder', path: folder } });
  const body = { ...storageBody(server.workspaceId, bucket.connection), displayName: 'Off-site' };
  const { connection } = (await server.api.createConnection({ body })).body;
  expect((await run('set', '--connection', 'Off-site')).code).toBe(0);
  expect((await read()).schedule).toMatchObject({ keep: 7, target: { connectionId: connection.id } });
  expect((await run('off')).out).toContain('copies stay');
  expect(await read()).toEqual({ schedule: null });
});

it('shows why a copy failed and when it is tried again', async () => {
  const target = path.join(folder, 'disk');
  fs.mkdirSync(target);
  await run('set', '--hour', '3', '--keep', '1', '--folder', target);
  fs.rmdirSync(target);
  await server.api.startScheduledBackup({ params: { workspaceId: server.workspaceId } });
  await expect
    .poll(async () => (await run('show')).out, { timeout: 60_000 })
    .toMatch(/\nFailed: .* The folder .*does not exist.* Next attempt: /);
});

it.each([
  [['set'], 'needs --hour, --keep'],
  [['set', '--hour', '24', '--keep', '1', '--folder', folder], '--hour takes a number between 0 and 23'],
  [['set', '--hour', '3', '--keep', '0', '--folder', folder], '--keep takes a number between 1 and 365'],
  [['set', '--folder', folder, '--connection', 'x'], 'Name one target'],
  [['set', '--connection', 'none'], 'no Connection to object storage'],
])('refuses %j', async (args, message) => {
  await server.api.deleteBackupSchedule({ params: { workspaceId: server.workspaceId } });
  const refused = await run(...args);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(message)]);
});

it('shows the refusal of a folder outside those of the operator', async () => {
  const refused = await run('set', '--hour', '3', '--keep', '1', '--folder', '/etc');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('GROUNDCTL_BACKUP_FOLDERS')]);
});
