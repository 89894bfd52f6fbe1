import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callsOf,
  changing,
  type FormHostFixture,
  nativeDirOf,
  resourceIn,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { startTestServer, type TestServer, tempDir, testKeyFile } from '../../../test/harness.ts';
import { createBackupMaker } from '../../../test/installation-backups.ts';
import { openRestoredFolder } from '../../compose/backup-host.ts';
import { exportStoredKeys } from '../../compose/key-host.ts';
import { readBackupArchive } from '../../drivers/backup-archive/index.ts';
import { viewLedger } from '../../kernel/db.ts';
import { type BackupVerification, verifyBackup } from './index.ts';

const identity = identityOf(formPackage());
const folder = tempDir();
let f: FormHostFixture;
let verified: BackupVerification;
let restored: TestServer;
let names: string[];
/** Ids of native objects by the name of their Resource, when the ledger was copied. */
let natives: Record<string, string>;

const put = (id: string, content: object) =>
  fs.writeFileSync(path.join(nativeDirOf(f.dataDir), `${id}.json`), JSON.stringify(content));
const nativesNow = (): Record<string, string> =>
  f.server.ledger(({ sqlite }) =>
    Object.fromEntries(sqlite.prepare('SELECT name, native_id FROM form_resources').raw().all() as [string, string][]),
  );
const objectOf = (dataDir: string, name: string) =>
  JSON.parse(fs.readFileSync(path.join(nativeDirOf(dataDir), `${natives[name] ?? name}.json`), 'utf8'));

/** Adds an operation whose request ended with its process. */
function interrupt(name: string, isPerformed: boolean): void {
  const nativeId = `of-${name}`;
  const owner = {
    workspaceId: f.server.workspaceId,
    resourceId: `res_${name}`,
    generation: 1,
    operation: `sha256:${name}`,
  };
  if (isPerformed) put(nativeId, { kind: 'svc.form-native@v1', spec: { size: 1 }, owner });
  f.server.ledger(({ sqlite }) =>
    sqlite
      .prepare(
        `INSERT INTO form_operations (workspace_id, principal, "key", identity, operation, kind, name, resource_id,
           native_id, form, base, spec, created_at) VALUES (?, ?, ?, ?, 'apply', 'Bucket', ?, ?, ?, ?, 0, ?, ?)`,
      )
      .run(
        owner.workspaceId,
        f.server.subject,
        `key-of-${name}`,
        owner.operation,
        name,
        owner.resourceId,
        nativeId,
        JSON.stringify(identity),
        '{"size":1}',
        Date.now(),
      ),
  );
}

/** Changes Resources between the copy of the ledger and that of the files. */
async function changeResources(): Promise<void> {
  natives = nativesNow();
  const done = [
    await f.apply({ name: 'updated', spec: { size: 2 } }, changing(1)),
    await f.remove('deleted', changing(1)),
    await f.apply({ name: 'later' }),
    await f.import('adopted', { name: 'adopted', spec: { size: 7 } }),
  ];
  expect(done.map(({ status }) => status)).toEqual([200, 204, 200, 200]);
}

beforeAll(async () => {
  f = await startFormHost();
  for (const name of ['same', 'drifted', 'updated', 'deleted', 'gone'])
    expect((await f.apply({ name, spec: { size: 1 } })).status).toBe(200);
  put('adopted', { spec: { size: 7 } });
  put('free', { spec: { size: 8 } });
  put('not a name', {});
  const drifted = nativesNow()['drifted'] ?? '';
  natives = nativesNow();
  put(drifted, { ...objectOf(f.dataDir, 'drifted'), spec: { size: 1, region: 'eu-1' } });
  fs.rmSync(path.join(nativeDirOf(f.dataDir), `${natives['gone']}.json`));
  interrupt('finished', true);
  interrupt('dropped', false);
  const backups = await createBackupMaker(folder);
  const file = backups.fileNamed('all');
  const source = {
    dataDir: f.dataDir,
    keySource: 'file' as const,
    keyFile: testKeyFile(f.dataDir),
    passphraseFile: undefined,
  };
  let calls = 0;
  const exportKeys = async () => {
    calls += 1;
    // The second call is after the copy of the ledger.
    if (calls === 2) await changeResources();
    return exportStoredKeys(source);
  };
  await backups.create(file, { dataDir: f.dataDir, exportKeys });
  const decryptWith = { identities: [backups.keys.identity] };
  names = (await readBackupArchive({ file, decryptWith })).members.map((member) => member.path);
  const openFolder = openRestoredFolder({ keyFile: undefined, passphraseFile: undefined });
  verified = await verifyBackup({ file, decryptWith, openFolder });
  const dataDir = path.join(folder, 'restored');
  await backups.restore(file, dataDir);
  restored = await startTestServer({
    dataDir,
    env: { GROUNDCTL_FORM_HOST: '1', GROUNDCTL_KEY_FILE: `${dataDir}.key` },
  });
}, 120_000);
afterAll(async () => {
  await restored?.close();
  await f?.server.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('a backup holds the packages, and the native objects that agree with its ledger', () => {
  const objects = ['same', 'drifted', 'updated', 'deleted'].map((name) => natives[name] ?? '');
  const ids = [...objects, 'adopted', 'free', 'of-finished'];
  expect(names.filter((name) => name.startsWith('forms/')).sort()).toEqual(
    ['forms/package-0.json', ...ids.map((id) => `forms/native/${id}.json`)].sort(),
  );
  expect(verified.omitted).toEqual([{ path: 'forms/native/not a name.json', reason: 'name' }]);
});

test('its check reports only the object that was missing before', () => {
  const findings = verified.checks.flatMap(({ findings }) => findings);
  const gone = viewLedger(f.dataDir)?.sqlite.prepare("SELECT id FROM form_resources WHERE name = 'gone'").pluck().get();
  expect(findings.map(({ subject }) => subject)).toEqual([gone]);
});

test('a restored server has the Resources as they were, and changes them', async () => {
  const host = callsOf(restored, identity);
  const read = async (name: string) => {
    const answer = await host.read(name);
    return answer.status === 200 ? resourceIn(answer).spec : statusOf(answer);
  };
  expect(await read('updated')).toEqual({ size: 1 });
  expect(await read('deleted')).toEqual({ size: 1 });
  expect(await read('later')).toEqual([404, 'resource_not_found']);
  expect(objectOf(restored.dataDir, 'updated')).toMatchObject({ spec: { size: 1 }, owner: { generation: 1 } });
  expect(objectOf(restored.dataDir, 'drifted').spec).toEqual({ size: 1, region: 'eu-1' });
  const observed = resourceIn(await host.look('updated', 'observe', changing(1))).status?.observed;
  expect(observed).toMatchObject({ ready: true, driftedFields: [] });
  expect((await host.apply({ name: 'updated', spec: { size: 3 } }, changing(1))).status).toBe(200);
  expect((await host.remove('deleted', changing(1))).status).toBe(204);
  expect((await host.import('adopted', { name: 'adopted', spec: { size: 7 } })).status).toBe(200);
});

test('the end of its pause finishes the operation that had changed its object, and drops the other', async () => {
  const host = callsOf(restored, identity);
  await restored.as(restored.operatorToken).resumeInstallationAsOperator({ body: {} });
  await expect.poll(async () => (await host.read('finished')).status).toBe(200);
  expect(resourceIn(await host.read('finished'))).toMatchObject({ spec: { size: 1 } });
  expect(statusOf(await host.read('dropped'))).toEqual([404, 'resource_not_found']);
  expect((await host.apply({ name: 'dropped' })).status).toBe(200);
});
