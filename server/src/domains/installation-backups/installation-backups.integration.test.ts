import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { at, clock, moveLane, put, server, serveSweeps, snapshot } from '../../../test/gc-fixture.ts';
import { tempDir, testKeyFile } from '../../../test/harness.ts';
import { createBackupMaker, digestOfLedgerIn } from '../../../test/installation-backups.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { openRestoredFolder } from '../../compose/backup-host.ts';
import { exportStoredKeys } from '../../compose/key-host.ts';
import {
  createBackupKeyPair,
  extractBackupArchive,
  readBackupArchive,
  writeBackupArchive,
} from '../../drivers/backup-archive/index.ts';
import { startServer } from '../../index.ts';
import { openDb } from '../../kernel/db.ts';
import { createLog } from '../../kernel/log.ts';
import { readSettings } from '../../kernel/settings.ts';
import { streamInstallationBackup, verifyBackup } from './index.ts';

serveSweeps();
let folder: string;
let backups: Awaited<ReturnType<typeof createBackupMaker>>;
beforeEach(async () => {
  folder = tempDir();
  backups = await createBackupMaker(folder);
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const stored = () => ({
  dataDir: server.dataDir,
  keySource: 'file' as const,
  keyFile: testKeyFile(server.dataDir),
  passphraseFile: undefined,
});
const create = (name = 'all', exportKeys = () => exportStoredKeys(stored())): Promise<string> => {
  const file = backups.fileNamed(name);
  return backups.create(file, { dataDir: server.dataDir, exportKeys }).then(() => file);
};
const opened = (file: string) => ({ file, decryptWith: { identities: [backups.keys.identity] } });
const namesIn = async (file: string): Promise<string[]> =>
  (await readBackupArchive(opened(file))).members.map((member) => member.path);
const target = () => path.join(folder, 'restored');
const request = (body: unknown) =>
  server.raw({
    method: 'POST',
    path: '/internal/v1/installation-backups',
    headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const forRecipient = () => ({ encryptFor: { recipients: [backups.keys.recipient] } });

describe('the backup of an installation', () => {
  test('holds the ledger, needed archives, files that applies left, and files of the operator', async () => {
    const capsule = await seedCapsule(server);
    const { file: archive, sourceId, id } = snapshot(capsule, 'needed', clock.now() - 90 * 86_400_000);
    moveLane(sourceId, id);
    const { file: unneeded } = snapshot(capsule, 'unneeded', clock.now() - 90 * 86_400_000);
    server.ledger(({ sqlite }) =>
      sqlite
        .prepare("UPDATE capsules SET adopted_source_revision = json_object('sourceSnapshotId', ?) WHERE id = ?")
        .run(id, capsule.id),
    );
    const tree = `capsules/${capsule.id}/tree`;
    put(`${tree}/main.tf`, 'of the module');
    put(`${tree}/generated.tf.json`, 'replaced by the next Run');
    put(`${tree}/out/result.txt`, 'left by an apply');
    put(`${tree}/out/run.sh`, '#!/bin/sh');
    fs.chmodSync(at(`${tree}/out/run.sh`), 0o755);
    put(`${tree}/out/line\nbreak`, 'odd');
    fs.symlinkSync('/etc/passwd', at(`${tree}/out/link`));
    put(`capsules/${capsule.id}/data/warm`);
    put('recipes/mine.json', '{}');
    put('oauth-helpers/mine.json', '{}');
    put('credential-services/mine.json', '{}');
    put('oidc-clients.json', '[]');
    put('runs/plan_x/plan');
    put('providers/example.com/package');
    const file = await create();
    const names = await namesIn(file);
    const inFolder = (name: string) => path.relative(server.dataDir, name);
    expect(names.toSorted()).toEqual(
      [
        'backup/master-keys.json',
        'backup/omitted.json',
        'credential-services/mine.json',
        inFolder(archive),
        'ledger.db',
        'oauth-helpers/mine.json',
        'oidc-clients.json',
        'recipes/mine.json',
        `${tree}/out/result.txt`,
        `${tree}/out/run.sh`,
      ].toSorted(),
    );
    expect(names).not.toContain(inFolder(unneeded));
    const { omitted } = await backups.restore(file, target());
    expect(omitted.toSorted((left, right) => (left.path < right.path ? -1 : 1))).toEqual([
      { path: `${tree}/out/line\nbreak`, reason: 'name' },
      { path: `${tree}/out/link`, reason: 'link' },
    ]);
    expect(fs.readFileSync(path.join(target(), tree, 'out/result.txt'), 'utf8')).toBe('left by an apply');
    expect(fs.statSync(path.join(target(), tree, 'out/run.sh')).mode & 0o777).toBe(0o700);
    expect(digestOfLedgerIn(target())).toBe(digestOfLedgerIn(server.dataDir));
    for (const name of ['recipes', 'oauth-helpers', 'credential-services', 'oidc-clients.json'])
      fs.rmSync(at(name), { recursive: true });
  });

  test('leaves out a sparse file that would fill the disk, and names it', async () => {
    const capsule = await seedCapsule(server);
    const tree = `capsules/${capsule.id}/tree`;
    put(`${tree}/small`, 'kept');
    put(`${tree}/sparse`, '');
    fs.truncateSync(at(`${tree}/sparse`), 2 ** 40);
    const file = await create();
    expect(await namesIn(file)).toContain(`${tree}/small`);
    const { omitted } = await backups.restore(file, target());
    expect(omitted).toEqual([{ path: `${tree}/sparse`, reason: 'too_large' }]);
  });

  test('starts on another machine, marked as restored, with its keys in the chosen place', async () => {
    const file = await create();
    await backups.restore(file, target(), { now: Date.parse('2030-02-03T04:05:06.000Z') });
    expect(fs.statSync(target()).mode & 0o777).toBe(0o700);
    const keyFile = `${target()}.key`;
    expect(fs.statSync(keyFile).mode & 0o777).toBe(0o600);
    const db = openDb(target(), (error) => {
      throw error;
    });
    const row = db.sqlite.prepare("SELECT value FROM installation WHERE name = 'restored'").pluck().get() as string;
    db.close();
    expect(JSON.parse(row)).toEqual({
      restoredAt: '2030-02-03T04:05:06.000Z',
      backupCreatedAt: expect.stringMatching(/Z$/),
      ledgerSequence: expect.any(Number),
    });
    const started = await startServer({
      settings: readSettings(
        { GROUNDCTL_TOOL_PATH: path.join(folder, 'none'), GROUNDCTL_KEY_FILE: keyFile },
        { dataDir: target(), port: '0' },
      ),
      log: createLog('silent'),
    });
    try {
      expect(started.vault()).toMatchObject({ sealed: false, keySource: 'file' });
    } finally {
      await started.close();
    }
  });

  test('is verified by restoring it, and leaves no trace of that', async () => {
    const file = await create();
    const before = fs.readdirSync(folder);
    const found = await verifyBackup({
      ...opened(file),
      openFolder: openRestoredFolder({ keyFile: undefined, passphraseFile: undefined }),
    });
    expect(found).toMatchObject({ isWhole: true, trail: { isWhole: true }, manifest: { kind: 'installation' } });
    expect(fs.readdirSync(folder)).toEqual(before);
  });

  test('differs from one of a Workspace, also for a key that opens neither', async () => {
    const manifest = { kind: 'workspace' as const, installationId: 'i', workspaceId: 'w', ledgerSequence: 1 };
    const file = path.join(folder, `bkp_${'0'.repeat(26)}.age`);
    const write = (recipient: string) =>
      writeBackupArchive({
        file,
        manifest: { ...manifest, createdAt: new Date(0).toISOString() },
        members: [],
        encryptFor: { recipients: [recipient] },
      });
    const openFolder = openRestoredFolder({ keyFile: undefined, passphraseFile: undefined });
    for (const { recipient } of [backups.keys, await createBackupKeyPair()]) {
      await write(recipient);
      await expect(verifyBackup({ ...opened(file), openFolder })).rejects.toMatchObject({
        code: 'backup_of_workspace',
        message: expect.stringContaining('groundctl backup restore'),
      });
    }
    const renamed = path.join(folder, 'renamed.age');
    fs.renameSync(file, renamed);
    await expect(verifyBackup({ ...opened(renamed), openFolder })).rejects.toMatchObject({
      code: 'backup_key_refused',
    });
  });

  test('never writes its keys in clear, and removes what a killed verification left', async () => {
    const file = await create();
    vi.stubEnv('TMPDIR', path.join(folder, 'temporary'));
    try {
      const leftover = path.join(os.tmpdir(), 'groundctl-verify-old');
      const inProgress = path.join(os.tmpdir(), 'groundctl-verify-new');
      for (const dir of [leftover, inProgress]) fs.mkdirSync(dir, { recursive: true });
      const yesterday = new Date(Date.now() - 25 * 3_600_000);
      fs.utimesSync(leftover, yesterday, yesterday);
      const staged: string[] = [];
      const openFolder = openRestoredFolder({ keyFile: undefined, passphraseFile: undefined });
      const signals = process.listenerCount('SIGINT');
      await verifyBackup({
        ...opened(file),
        openFolder: (dir, keys) => {
          staged.push(...(fs.readdirSync(dir, { recursive: true }) as string[]));
          expect(keys).toHaveLength(1);
          expect(process.listenerCount('SIGINT')).toBe(signals + 1);
          return openFolder(dir, keys);
        },
      });
      expect(process.listenerCount('SIGINT')).toBe(signals);
      expect(staged).toContain('ledger.db');
      expect(fs.readdirSync(os.tmpdir())).toEqual(['groundctl-verify-new']);
      const stagingDir = path.join(folder, 'unpacked');
      const received: string[] = [];
      const unwritten = new Map([['backup/master-keys.json', (bytes: Buffer) => received.push(bytes.toString())]]);
      await extractBackupArchive({ ...opened(file), stagingDir, unwritten });
      expect(received).toEqual([expect.stringContaining('"keys":[{')]);
      expect(fs.readdirSync(path.join(stagingDir, 'backup'))).toEqual(['omitted.json']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('has no backup without the key that the copied ledger needs', async () => {
    await expect(create('all', async () => [])).rejects.toThrow('The key was changed while the backup was made');
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(fs.existsSync(at('backup-work'))).toBe(false);
  });
});

test('a backup that is stopped before its first byte ends at once, and leaves nothing', async () => {
  const stop = new AbortController();
  const chunks = streamInstallationBackup({
    ...forRecipient(),
    dataDir: server.dataDir,
    keepDays: 30,
    includeProviders: false,
    now: clock.now(),
    exportKeys: () => exportStoredKeys(stored()),
    signal: stop.signal,
  });
  const first = chunks.next();
  stop.abort();
  await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  expect(fs.existsSync(path.join(server.dataDir, 'backup-work'))).toBe(false);
});

describe('the route of the operator', () => {
  test('streams a backup that opens, and records it', async () => {
    const answer = await request(forRecipient());
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect(answer.headers['cache-control']).toBe('no-store');
    const { events } = (await server.as(server.operatorToken).listAudit({ query: { action: 'backup.created' } })).body;
    expect(events[0]).toMatchObject({
      targetType: 'installation',
      metadata: { kind: 'installation', encryptedFor: '1 recipients' },
    });
  });

  test('refuses a second backup while one is in progress, and ends one whose reader leaves', async () => {
    const body = JSON.stringify(forRecipient());
    const headers = { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' };
    // More than the buffers of a connection hold, so that the backup waits for its reader.
    put('recipes/large', Buffer.alloc(33_554_432));
    const url = `${server.url}/internal/v1/installation-backups`;
    const first = await fetch(url, { method: 'POST', headers, body });
    const reader = first.body?.getReader();
    await reader?.read();
    expect(await request(forRecipient())).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
    await reader?.cancel();
    fs.rmSync(at('recipes/large'));
    await expect.poll(async () => (await request(forRecipient())).status).toBe(200);
    const { events } = (await server.as(server.operatorToken).listAudit({ query: {} })).body;
    const count = (wanted: string) => events.filter(({ action }) => action === wanted).length;
    expect(count('backup.started')).toBe(count('backup.created') + count('backup.failed'));
    expect(fs.existsSync(at('backup-work'))).toBe(false);
  });

  test('refuses a passphrase that is too short, a malformed recipient and both at once', async () => {
    const { recipient } = backups.keys;
    for (const encryptFor of [
      { passphrase: 'short' },
      { recipients: ['age1none'] },
      { recipients: [] },
      { recipients: [recipient], passphrase: 'long enough words' },
      {},
    ])
      expect((await request({ encryptFor })).status).toBe(400);
  });
});

describe('a restore', () => {
  test('refuses a folder that is not empty, a wrong key and a damaged file, and leaves nothing', async () => {
    const file = await create();
    fs.mkdirSync(target());
    fs.writeFileSync(path.join(target(), 'mine'), '');
    await expect(backups.restore(file, target())).rejects.toThrow('not empty');
    expect(fs.readdirSync(target())).toEqual(['mine']);
    fs.rmSync(target(), { recursive: true });
    await expect(backups.restore(file, target(), { decryptWith: { passphrase: 'x' } })).rejects.toThrow(
      'does not open',
    );
    fs.truncateSync(file, fs.statSync(file).size - 100);
    await expect(backups.restore(file, target())).rejects.toThrow('damaged');
    expect(fs.readdirSync(folder)).toEqual(['all.age']);
  });

  test('replaces an empty folder, and what a killed restore left', async () => {
    const file = await create();
    fs.mkdirSync(target());
    fs.mkdirSync(`${target()}.restoring`);
    fs.writeFileSync(path.join(`${target()}.restoring`, 'ledger.db'), 'half');
    await backups.restore(file, target());
    expect(fs.readdirSync(folder).sort()).toEqual(['all.age', 'restored', 'restored.key']);
    expect(digestOfLedgerIn(target())).toBe(digestOfLedgerIn(server.dataDir));
  });

  test('leaves nothing in the folder when the key cannot be stored', async () => {
    const file = await create();
    const storeKeys = () => Promise.reject(new Error('no keychain'));
    await expect(backups.restore(file, target(), { storeKeys })).rejects.toThrow('no keychain');
    expect(fs.readdirSync(folder)).toEqual(['all.age']);
  });
});
