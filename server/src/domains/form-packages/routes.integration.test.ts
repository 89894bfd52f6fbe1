import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '#shared/kernel/json';
import { formPackage, formPackageJson } from '../../../test/form-package.ts';
import { startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
let operator: TestClient;
beforeAll(async () => {
  server = await startTestServer({ env: { GROUNDCTL_FORM_HOST: '1' } });
  operator = server.as(server.operatorToken);
});
afterAll(() => server.close());

const forms = () => path.join(server.dataDir, 'forms');
const post = (body: unknown, token = server.operatorToken) =>
  server.raw({
    method: 'POST',
    path: '/internal/v1/form-packages',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('installs a package, repeats without an effect, and lists it page by page', async () => {
  const json = formPackageJson() as Json;
  const first = await operator.installFormPackage({ body: { file: 'bucket.json', package: json } });
  expect([first.status, first.body.formPackage]).toEqual([
    201,
    expect.objectContaining({ file: 'bucket.json', installed: true }),
  ]);
  const second = await operator.installFormPackage({ body: { file: 'other.json', package: json } });
  expect([second.status, second.body.formPackage.file]).toEqual([200, 'bucket.json']);
  await operator.installFormPackage({ body: { file: 'free.json', package: formPackageJson({ executable: false }) } });
  const page = (await operator.listFormPackages({ query: { limit: '1' } })).body;
  expect(page).toMatchObject({
    packages: [{ file: 'bucket.json', operations: formPackage().operations }],
    nextCursor: expect.any(String),
  });
  const rest = (await operator.listFormPackages({ query: { limit: '1', cursor: page.nextCursor } })).body;
  expect(rest).toEqual({ packages: [expect.objectContaining({ file: 'free.json', executable: false })] });
  const { events } = (await operator.listAudit({ query: { action: 'form_package.installed' } })).body;
  expect(events.map(({ actorId, targetId }) => [actorId, targetId])).toContainEqual([
    'operator',
    formPackage().packageDigest,
  ]);
});

test('names every problem of a package that it refuses, and no value', async () => {
  const { status, json } = await post({
    file: 'bad.json',
    package: { ...formPackageJson(), kind: 'hunter2', desiredSchema: { pattern: '(' } },
  });
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: {
      code: 'invalid_argument',
      details: {
        reason: 'form_package_invalid',
        problems: expect.arrayContaining([
          expect.objectContaining({ pointer: '/kind' }),
          expect.objectContaining({ pointer: '/desiredSchema/pattern' }),
        ]),
      },
    },
  });
  expect(JSON.stringify(json)).not.toContain('hunter2');
});

test.each(['../a.json', 'native/a.json', '.json', '.a.json', 'a.txt', '/etc/a.json', 'a\\b.json', 'a\u0000.json', ''])(
  'refuses the name %j, which is not one of a file in forms/',
  async (file) => {
    const before = fs.readdirSync(forms());
    expect((await post({ file, package: formPackageJson() })).status).toBe(400);
    expect(fs.readdirSync(forms())).toEqual(before);
  },
);

test('refuses a body with two equal keys or __proto__', async () => {
  const text = JSON.stringify(formPackageJson());
  expect((await post(`{"file":"x.json","file":"y.json","package":${text}}`)).status).toBe(400);
  expect((await post(`{"file":"x.json","package":{"__proto__":{},${text.slice(1)}}`)).status).toBe(400);
});

test('is for the operator alone', async () => {
  expect((await post({ file: 'x.json', package: formPackageJson() }, server.token)).status).toBe(401);
});

test('reads the folder at the start: a file that was placed by hand is installed, a changed one is not', async () => {
  fs.writeFileSync(path.join(forms(), 'hand.json'), JSON.stringify(formPackageJson({ deprecated: true })));
  fs.writeFileSync(
    path.join(forms(), 'free.json'),
    JSON.stringify({ ...formPackageJson({ executable: false }), executable: true }),
  );
  await server.restart();
  const { packages } = (await server.as(server.operatorToken).listFormPackages({})).body;
  expect(packages.map(({ file, installed, reason = '' }) => [file, installed, reason.slice(0, 18)])).toEqual([
    ['bucket.json', true, ''],
    ['free.json', false, 'At /packageDigest:'],
    ['hand.json', true, ''],
  ]);
});

test('the routes do not exist for a server without a form host', async () => {
  const plain = await startTestServer();
  const { status, json } = await plain.raw({
    path: '/internal/v1/form-packages',
    headers: { authorization: `Bearer ${plain.operatorToken}` },
  });
  await plain.close();
  expect([status, json]).toEqual([501, { error: expect.objectContaining({ code: 'capability_not_available' }) }]);
});
