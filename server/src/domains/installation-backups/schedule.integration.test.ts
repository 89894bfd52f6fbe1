import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bucketKeys } from '../../../test/bucket-signature.ts';
import { groundctl } from '../../../test/command-line.ts';
import { heldClock, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { type BackupKeyPair, createBackupKeyPair, readBackupArchive } from '../../drivers/backup-archive/index.ts';
import { removeTree } from '../../kernel/remove-tree.ts';

const dayMs = 86_400_000;
let clock: ReturnType<typeof heldClock>;
let folder: string;
let keys: BackupKeyPair;
let server: TestServer;
let bucket: ObjectBucket;
beforeEach(async () => {
  clock = heldClock();
  folder = tempDir();
  keys = await createBackupKeyPair();
  bucket = await startObjectBucket();
});
afterEach(async () => {
  await server.close();
  await bucket.close();
  removeTree(folder);
});

const open = async (target: string, more: Record<string, string> = {}) => {
  const env = { GROUNDCTL_BACKUP_TARGET: target, GROUNDCTL_BACKUP_RECIPIENTS: keys.recipient, ...more };
  server = await startTestServer({ clock, env: { ...env, GROUNDCTL_BACKUP_KEEP: '2' } });
};
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
/** Continues a number of days later, which makes one backup. */
async function continueAfter(days: number): Promise<void> {
  clock.advance(days * dayMs);
  await server.restart();
}
type State = { stored?: { at: number; location: string }; failed?: { message: string }; attempts?: number };
const state = (): State =>
  JSON.parse(
    server.ledger(({ sqlite }) =>
      sqlite.prepare("SELECT value FROM installation WHERE name = 'backup_schedule'").pluck().get(),
    ) as string,
  );
const stored = () => waitFor(() => expect(state().stored?.at).toBe(clock.now()));
const doctor = async () => (await groundctl('doctor', '--data-dir', server.dataDir)).out;
const notes = async () => (await server.request('GET', '/readyz')).text;

test('the installation is backed up every day for its recipients, and the newest backups stay', async () => {
  await open(folder);
  fs.writeFileSync(path.join(folder, 'groundctl-other.age'), 'of another');
  for (const days of [1, 1, 5]) {
    await continueAfter(days);
    await stored();
    // What a copy leaves that is killed.
    fs.writeFileSync(`${state().stored?.location}.partial`, 'half');
    fs.writeFileSync(path.join(server.dataDir, 'scheduled-backup.age.partial'), 'half');
  }
  await continueAfter(1);
  await stored();
  const names = fs.readdirSync(folder).filter((name) => name !== 'groundctl-other.age');
  expect(names).toHaveLength(2);
  const file = state().stored?.location ?? '';
  expect(path.basename(file)).toBe(names.toSorted().at(-1));
  expect(file).toMatch(/groundctl-[0-9a-f]{32}-20300109T000000Z\.age$/);
  const manifest = await readBackupArchive({ file, decryptWith: { identities: [keys.identity] } });
  expect(manifest.kind).toBe('installation');
  expect(fs.readdirSync(server.dataDir).filter((name) => name.startsWith('scheduled-backup'))).toEqual([]);
  const { events } = (await server.as(server.operatorToken).listAudit({ query: { action: 'backup.created' } })).body;
  expect(events[0]).toMatchObject({ targetType: 'installation', metadata: { kind: 'installation' } });
  expect(events[0]).not.toHaveProperty('actorId');
});

test('a failure is reported until a backup succeeds', async () => {
  const disk = path.join(folder, 'disk');
  await open(disk);
  expect(await notes()).not.toContain('groundctl doctor');
  await continueAfter(1);
  await waitFor(() => expect(state().failed?.message).toMatch(/Mount its disk/));
  expect(fs.existsSync(disk)).toBe(false);
  expect(await notes()).toContain('The scheduled backup of the installation failed.');
  const found = await doctor();
  expect(found).toContain('Mount its disk, or create it. None was stored yet.');
  fs.mkdirSync(disk);
  clock.advance(60_000);
  await server.restart();
  await stored();
  expect(await notes()).not.toContain('groundctl doctor');
  expect(await doctor()).not.toContain('Mount its disk');
});

test('a folder in the data folder is refused', async () => {
  const link = path.join(folder, 'link');
  await open(link);
  fs.symlinkSync(path.join(server.dataDir, 'backups'), link);
  fs.mkdirSync(path.join(server.dataDir, 'backups'), { recursive: true });
  await continueAfter(1);
  await waitFor(() => expect(state().failed?.message).toMatch(/is in the data folder/));
  expect(fs.readdirSync(path.join(server.dataDir, 'backups'))).toEqual([]);
});

test('a bucket gets the backup, and a copy that differs is deleted', async () => {
  const { endpoint, region, bucket: name } = bucket.connection;
  const keyFile = path.join(folder, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys), { mode: 0o600 });
  await open(`${endpoint}/${name}/all`, { GROUNDCTL_BACKUP_KEY_FILE: keyFile, GROUNDCTL_BACKUP_REGION: region });
  bucket.fail(({ method, what }, answer) =>
    method === 'GET' && what === 'object' && answer.status === 200
      ? { ...answer, body: Buffer.from('x'), headers: { 'content-length': '1' } }
      : undefined,
  );
  await continueAfter(1);
  await waitFor(() => expect(state().failed?.message).toMatch(/differs/));
  expect(bucket.objects.keys()).toEqual([]);
  bucket.fail(undefined);
  await continueAfter(1);
  await stored();
  expect(bucket.objects.keys()).toEqual([expect.stringMatching(/^all\/groundctl-.*\.age$/)]);
});
