import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createJsonSchemas, type JsonSchemas } from '#server/drivers/json-schema/index';
import { systemClock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { AppError } from '#server/kernel/errors';
import { createCursors } from '#server/kernel/page';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { Json } from '#shared/kernel/json';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { formPackage, formPackageJson, identityOf } from '../../../test/form-package.ts';
import { tempDir } from '../../../test/harness.ts';
import { createFormPackagesService, createFormPackagesStore, type FormPackagesService } from './index.ts';

let dataDir: string;
let db: Db;
let schemas: JsonSchemas;
let service: FormPackagesService;
let warnings: unknown[];
let recorded: string[];

const open = () =>
  createFormPackagesService({
    db,
    clock: systemClock,
    log: { warn: (fields) => void warnings.push(fields) },
    activity: { record: ({ action }) => void recorded.push(action) },
    cursors: createCursors('key'),
    store: createFormPackagesStore(db),
    schemas,
    dataDir,
  });
beforeEach(() => {
  dataDir = tempDir();
  db = openTestLedger(dataDir);
  schemas = createJsonSchemas();
  warnings = [];
  recorded = [];
  service = open();
  fs.mkdirSync(path.join(dataDir, 'forms'));
});
afterEach(async () => {
  await schemas.close();
  db.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const at = (name: string) => path.join(dataDir, 'forms', name);
const write = (name: string, json: unknown) => fs.writeFileSync(at(name), JSON.stringify(json));
const reasons = () =>
  Object.fromEntries(service.list({ limit: 1_000 }).packages.map(({ file = '', reason }) => [file, reason]));
const install = async (file: string, json: Json, actorId = 'operator') => {
  const work = await service.prepareInstall({ file, json });
  return db.write(() => work(actorId));
};
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: AppError) => [error.code, error.details?.reason ?? error.message],
  );

const bucket = formPackage();
const next = formPackage({
  formRef: { ...bucket.formRef, definitionVersion: '2.0.0' },
});

describe('the folder', () => {
  test('a missing folder is empty and is not created', async () => {
    fs.rmdirSync(at(''));
    await service.reread();
    expect([service.listPackages(), service.list({}).packages, fs.existsSync(at(''))]).toEqual([[], [], false]);
  });

  test('valid packages are installed, found by their exact reference and listed in one order', async () => {
    write('b.json', bucket);
    write('a.json', next);
    await service.reread();
    expect(service.findPackage(identityOf(bucket))).toEqual({ state: 'installed', package: bucket });
    expect(service.listPackages().map(({ identity }) => identity.formRef.definitionVersion)).toEqual([
      '1.0.0',
      '2.0.0',
    ]);
    const { formRef, packageDigest } = bucket;
    const others: FormIdentity[] = [
      { formRef: { ...formRef, apiVersion: 'storage.example/v2' }, packageDigest },
      { formRef: { ...formRef, kind: 'Buckets' }, packageDigest },
      { formRef: { ...formRef, definitionVersion: '1.0' }, packageDigest },
      { formRef: { ...formRef, schemaDigest: next.packageDigest }, packageDigest },
      { formRef, packageDigest: next.packageDigest },
    ];
    expect(others.map(service.findPackage)).toEqual(others.map(() => undefined));
    expect(warnings).toEqual([]);
  });

  test('every file that is not installed has a reason', async () => {
    write('ok.json', bucket);
    write('changed.json', { ...next, displayName: 'Changed' });
    write('copy.json', bucket);
    fs.writeFileSync(at('text.json'), '{');
    fs.writeFileSync(at('twice.json'), '{"kind":1,"kind":2}');
    fs.writeFileSync(at('notes.txt'), 'x');
    fs.writeFileSync(at('large.json'), `"${'a'.repeat(300_000)}"`);
    fs.writeFileSync(at('left.json.tmp'), 'x');
    fs.mkdirSync(at('native'));
    fs.mkdirSync(at('folder.json'));
    fs.symlinkSync('/etc/hostname', at('link.json'));
    fs.symlinkSync(at('ok.json'), at('inner.json'));
    execFileSync('mkfifo', [at('pipe.json')]);
    await service.reread();
    expect(reasons()).toEqual({
      'changed.json': expect.stringMatching(/^At \/packageDigest: .*changed/),
      'copy.json': undefined,
      'folder.json': expect.stringMatching(/regular file/),
      'inner.json': expect.stringMatching(/Links are not followed/),
      'large.json': expect.stringMatching(/larger/),
      'link.json': expect.stringMatching(/Links are not followed/),
      'notes.txt': expect.stringMatching(/name/),
      'ok.json': 'It repeats the package of copy.json. Remove one of the two files.',
      'pipe.json': expect.stringMatching(/regular file/),
      'text.json': 'The text is not valid JSON.',
      'twice.json': 'A key appears twice in one object.',
    });
    expect(warnings).toHaveLength(10);
    expect(service.findPackage(identityOf(next))).toEqual({ state: 'known', reason: expect.stringMatching(/changed/) });
  });

  test('a link in place of the folder is not followed', async () => {
    const elsewhere = tempDir();
    fs.writeFileSync(path.join(elsewhere, 'ok.json'), JSON.stringify(bucket));
    fs.rmdirSync(at(''));
    fs.symlinkSync(elsewhere, path.join(dataDir, 'forms'));
    await service.reread();
    expect(service.listPackages()).toEqual([]);
    expect(service.list({}).packages).toEqual([{ installed: false, reason: expect.stringMatching(/not a folder/) }]);
    fs.rmSync(elsewhere, { recursive: true });
  });

  test('more files than the limit are listed, not read', async () => {
    for (let count = 0; count < 257; count += 1) write(`${String(count).padStart(3, '0')}.json`, {});
    write('999.json', bucket);
    await service.reread();
    expect(reasons()['256.json']).toMatch(/more than 256 files/);
    expect(service.findPackage(identityOf(bucket))).toBeUndefined();
  });

  test('a start without a new reference writes nothing to the ledger', async () => {
    write('a.json', bucket);
    await service.reread();
    service = open();
    const changes = () => db.sqlite.prepare('SELECT total_changes()').pluck().get();
    const before = changes();
    await service.reread();
    expect([service.findPackage(identityOf(bucket))?.state, changes()]).toEqual(['installed', before]);
  });

  test('a reference stays known when its file is gone or changed, also after a restart', async () => {
    write('a.json', bucket);
    await service.reread();
    fs.rmSync(at('a.json'));
    await service.reread();
    expect(service.findPackage(identityOf(bucket))).toEqual({
      state: 'known',
      reason: expect.stringMatching(/Put the file back/),
    });
    service = open();
    await service.reread();
    expect(service.findPackage(identityOf(bucket))?.state).toBe('known');
    expect(service.list({}).packages).toEqual([
      { ...identityOf(bucket), installed: false, reason: expect.any(String) },
    ]);
    write('b.json', bucket);
    await service.reread();
    expect(service.findPackage(identityOf(bucket))?.state).toBe('installed');
  });
});

describe('prepareInstall', () => {
  test('writes a private file, records it once, and repeats without an effect', async () => {
    expect(await install('bucket.json', bucket as unknown as Json)).toMatchObject({
      isNew: true,
      record: { file: 'bucket.json', installed: true },
    });
    expect(service.findPackage(identityOf(bucket))?.state).toBe('installed');
    expect(fs.statSync(at('bucket.json')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(at(''))).toEqual(['bucket.json']);
    expect(await install('again.json', bucket as unknown as Json)).toMatchObject({
      isNew: false,
      record: { file: 'bucket.json' },
    });
    expect([fs.readdirSync(at('')), recorded]).toEqual([['bucket.json'], ['form_package.installed']]);
    await service.reread();
    expect(service.list({}).packages).toMatchObject([{ file: 'bucket.json', installed: true }]);
  });

  test('installs a new version beside the old one', async () => {
    await install('v1.json', bucket as unknown as Json);
    await install('v2.json', next as unknown as Json);
    expect(service.findActivated('Bucket', 'ws_any')).toHaveLength(2);
  });

  test('refuses a changed file, an invalid one and a name that is taken, and writes nothing', async () => {
    await install('v1.json', bucket as unknown as Json);
    const changed = { ...bucket, displayName: 'Changed' } as unknown as Json;
    expect(await refusal(install('v1.json', changed))).toEqual(['invalid_argument', 'form_package_invalid']);
    expect(await refusal(install('x.json', {}))).toEqual(['invalid_argument', 'form_package_invalid']);
    expect(await refusal(install('v1.json', next as unknown as Json))).toEqual([
      'conflict',
      expect.stringMatching(/other content/),
    ]);
    expect(fs.readdirSync(at(''))).toEqual(['v1.json']);
    expect(JSON.parse(fs.readFileSync(at('v1.json'), 'utf8'))).toEqual(bucket);
  });

  test('does not write through a link that has the name', async () => {
    const target = path.join(dataDir, 'target');
    fs.symlinkSync(target, at('v1.json'));
    expect(await refusal(install('v1.json', bucket as unknown as Json))).toEqual(['conflict', expect.any(String)]);
    expect(fs.existsSync(target)).toBe(false);
  });

  test('does not write through a link in place of the folder', async () => {
    const elsewhere = tempDir();
    fs.rmdirSync(at(''));
    fs.symlinkSync(elsewhere, path.join(dataDir, 'forms'));
    expect(await refusal(install('v1.json', bucket as unknown as Json))).toEqual([
      'conflict',
      expect.stringMatching(/not a folder/),
    ]);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    fs.rmSync(elsewhere, { recursive: true });
  });

  test('writes the package again when its file was changed by hand', async () => {
    await install('v1.json', bucket as unknown as Json);
    write('v1.json', { ...bucket, displayName: 'Changed' });
    expect(await install('v2.json', bucket as unknown as Json)).toMatchObject({ isNew: true });
    expect(reasons()).toEqual({ 'v2.json': undefined });
    await service.reread();
    expect(reasons()).toEqual({ 'v1.json': expect.stringMatching(/changed/), 'v2.json': undefined });
  });

  test('installs a file that was put there by hand or by an interrupted installation, and leaves it as it is', async () => {
    write('v1.json', bucket);
    const text = fs.readFileSync(at('v1.json'), 'utf8');
    expect(await install('v1.json', bucket as unknown as Json)).toMatchObject({ isNew: true });
    expect([service.findPackage(identityOf(bucket))?.state, recorded]).toEqual([
      'installed',
      ['form_package.installed'],
    ]);
    expect(fs.readFileSync(at('v1.json'), 'utf8')).toBe(text);
  });

  test('lists every package page by page in the order of names, whatever the order of installation', async () => {
    await install('b.json', bucket as unknown as Json);
    await install('a.json', next as unknown as Json);
    const first = service.list({ limit: 1 });
    const second = service.list({ limit: 1, cursor: first.nextCursor });
    expect([...first.packages, ...second.packages].map(({ file }) => file)).toEqual(['a.json', 'b.json']);
    expect(second.nextCursor).toBeUndefined();
  });

  test('of two concurrent installations of one name one wins', async () => {
    const works = await Promise.all(
      [bucket, next].map((json) => service.prepareInstall({ file: 'a.json', json: json as unknown as Json })),
    );
    const outcomes = works.map((work) => {
      try {
        return db.write(() => work('operator')).isNew;
      } catch (error) {
        return (error as AppError).code;
      }
    });
    expect(outcomes).toEqual([true, 'conflict']);
  });
});

describe('a spec', () => {
  test('is checked by the schema of its exact form', async () => {
    await install('a.json', bucket as unknown as Json);
    expect(await service.validateSpec(identityOf(bucket), { size: 3 })).toEqual({ valid: true });
    expect(await service.validateSpec(identityOf(bucket), { size: 'hunter2', hunter2: 1 })).toEqual({
      valid: false,
      pointer: '',
      message: 'It must not have additional properties.',
    });
    expect(await service.validateSpec(identityOf(next), { size: 3 })).toEqual({
      valid: false,
      pointer: '',
      message: 'The form is not installed.',
    });
  });

  test('gets 503 when the worker has ended', async () => {
    await install('a.json', bucket as unknown as Json);
    await schemas.close();
    expect(await refusal(service.validateSpec(identityOf(bucket), {}))).toEqual([
      'feature_unavailable',
      expect.stringMatching(/stopped/),
    ]);
  });
});

test('findActivated returns the packages of a kind for one Workspace', async () => {
  const spaces = ['ws_01K8Z3QF7M2XW5N9B4C6D8EW10'];
  await install('some.json', formPackageJson({ activation: { spaces } }));
  await install('none.json', formPackageJson({ activation: { spaces: [] } }));
  expect(service.findActivated('Bucket', 'ws_01K8Z3QF7M2XW5N9B4C6D8EW10')).toHaveLength(1);
  expect(service.findActivated('Bucket', 'ws_01K8Z3QF7M2XW5N9B4C6D8EW11')).toEqual([]);
  expect(service.findActivated('Queue', 'ws_01K8Z3QF7M2XW5N9B4C6D8EW10')).toEqual([]);
});
