import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJsonSchemas } from '#server/drivers/json-schema/index';
import { repositoryRoot } from '#server/kernel/entry';
import { FormPackage } from '#shared/form-packages/package';
import type { Json } from '#shared/kernel/json';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';

const guide = fs.readFileSync(path.join(repositoryRoot, 'docs/form-host.md'), 'utf8');
/** Returns the JSON example of the guide that has this kind. */
const exampleOf = (kind: string): string => {
  const blocks = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => text);
  return blocks.find((text) => text.includes(kind)) ?? '';
};

let server: TestServer;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = tempDir();
  file = path.join(folder, 'greeting.json');
  fs.writeFileSync(file, exampleOf('form-package@v1'));
  server = await startTestServer({ env: { GROUNDCTL_FORM_HOST: '1' } });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

test('the package of the guide has no problem but its empty digests, and is installed as the guide shows', async () => {
  const before = await groundctl('forms', 'lint', '--json', file);
  const { files } = JSON.parse(before.out) as { files: { problems: { pointer: string }[] }[] };
  expect(files[0]?.problems.map(({ pointer }) => pointer)).toEqual(['/formRef/schemaDigest', '/packageDigest']);
  const linted = await groundctl('forms', 'lint', '--write', file);
  expect(linted.code).toBe(0);
  const written = FormPackage.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
  const prefix = (digest: string) => digest.slice(0, 'sha256:'.length + 4);
  expect(guide).toContain(
    `  schemaDigest   ${prefix(written.formRef.schemaDigest)}…\n  packageDigest  ${prefix(written.packageDigest)}…\n`,
  );
  const at = ['--data-dir', server.dataDir];
  expect(await groundctl('forms', 'install', file, ...at)).toMatchObject({
    code: 0,
    out: 'Greeting 1.2.0 is installed as forms/greeting.json.\n',
  });
  expect((await groundctl('forms', 'list', ...at)).out).toMatch(
    /\ngreeting\.json +Greeting +1\.2\.0 +[0-9a-f]{12} +installed +all\n/,
  );
});

test('a Resource of that form publishes its Interface, bound to the account that applied it', async () => {
  const { apiVersion, kind } = FormPackage.parse(JSON.parse(fs.readFileSync(file, 'utf8'))).formRef;
  const { workspaceId: space } = server;
  const metadata = { name: 'hello', space };
  const spec = { greeting: 'good morning' };
  const applied = await server.request('PUT', `/v1/resources/Greeting/hello?space=${space}`, {
    apiVersion,
    kind,
    metadata,
    spec,
  });
  expect([applied.status, applied.json]).toEqual([200, { resource: expect.objectContaining({ kind, spec }) }]);
  const { interfaces } = (await server.api.listInterfaces({ query: { workspaceId: space } })).body;
  expect(interfaces.map(({ name, status }) => [name, status.phase, status.resolvedInputs])).toEqual([
    ['hello-text', 'Resolved', { greeting: 'good morning' }],
  ]);
  const { bindings } = (
    await server.api.listInterfaceBindings({ params: { interfaceId: interfaces[0]?.id ?? 'none' } })
  ).body;
  expect(bindings.map((one) => [one.spec.subjectRef.id, one.status.phase])).toEqual([[server.subject, 'Ready']]);
});

test('the form of the guide accepts the desired states of its fixture, and refuses the invalid ones', async () => {
  const { desiredSchema: schema } = JSON.parse(exampleOf('form-package@v1')) as { desiredSchema: Json };
  const fixture = JSON.parse(exampleOf('form-conformance-fixture@v1')) as {
    spec: Json;
    update: Json;
    invalid: { spec: Json }[];
  };
  const schemas = createJsonSchemas();
  const check = async (value: Json) =>
    (await schemas.validate({ digest: 'guide', schema }, value)) as { valid: boolean };
  const accepted = [await check(fixture.spec), await check(fixture.update)];
  const refused = await Promise.all(fixture.invalid.map(({ spec }) => check(spec)));
  await schemas.close();
  expect(accepted).toEqual([{ valid: true }, { valid: true }]);
  expect(refused.map(({ valid }) => valid)).toEqual([false]);
});
