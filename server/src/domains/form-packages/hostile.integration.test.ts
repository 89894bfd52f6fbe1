import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJsonSchemas, type JsonSchemas } from '#server/drivers/json-schema/index';
import { systemClock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { createCursors } from '#server/kernel/page';
import type { Json, JsonObject } from '#shared/kernel/json';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { bucketInterface, formPackage, formPackageJson, identityOf } from '../../../test/form-package.ts';
import { tempDir } from '../../../test/harness.ts';
import {
  createFormPackagesService,
  createFormPackagesStore,
  type FormPackagesService,
  parsePackage,
  withDigests,
} from './index.ts';

let dataDir: string;
let db: Db;
let schemas: JsonSchemas;
let service: FormPackagesService;
beforeAll(() => {
  dataDir = tempDir();
  db = openTestLedger(dataDir);
  schemas = createJsonSchemas();
  service = createFormPackagesService({
    db,
    clock: systemClock,
    log: { warn: () => undefined },
    activity: { record: () => undefined },
    cursors: createCursors('key'),
    store: createFormPackagesStore(db),
    schemas,
    dataDir,
  });
});
afterAll(async () => {
  await schemas.close();
  db.close();
  fs.rmSync(dataDir, { recursive: true });
});

/** A package with correct digests and this schema, as text. */
const withSchema = (schema: unknown): string => JSON.stringify(formPackageJson({ desiredSchema: schema }));
const withMembers = (members: Record<string, unknown>): string => JSON.stringify(formPackageJson(members));
const withSpec = (spec: Record<string, unknown>): string =>
  withMembers({ interfaces: [{ ...bucketInterface, spec: { ...bucketInterface.spec, ...spec } }] });
/** A package of which one text was replaced after its digests were taken. */
const replaced = (from: string, to: string): string => withMembers({}).replace(from, to);
const ref = { apiVersion: 'a/v1', kind: 'Bucket', definitionVersion: '1', schemaDigest: '' };
const nested = (depth: number): unknown => (depth === 0 ? {} : { not: nested(depth - 1) });

const packages: readonly (readonly [string, string])[] = [
  ['an empty file', ''],
  ['a text', 'kind: svc.form-package@v1'],
  ['a list', '[]'],
  ['an incomplete text', withMembers({}).slice(0, -1)],
  ['two equal keys', replaced('"executable":true', '"executable":true,"executable":false')],
  ['two equal keys in the schema', replaced('"required"', '"type":"array","required"')],
  ['__proto__', replaced('"executable":true', '"__proto__":{"executable":true},"executable":true')],
  ['__proto__ in escapes', replaced('"executable":true', '"\\u005f\\u005fproto\\u005f\\u005f":1,"executable":true')],
  ['constructor as a member', withMembers({ constructor: { prototype: { executable: true } } })],
  ['half a character', replaced('"displayName":"Bucket"', '"displayName":"\\ud83d"')],
  ['a number without an end', replaced('"minimum":1', `"minimum":1e${'9'.repeat(30)}`)],
  ['a number with many digits', replaced('"minimum":1', `"minimum":${'9'.repeat(2_000)}`)],
  ['a number that a double changes', replaced('"minimum":1', '"minimum":9007199254740993')],
  ['deep nesting of text', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['a deep schema', withSchema(nested(59))],
  ['a large file', withSchema({ description: 'a'.repeat(300_000) })],
  ['many values', withSchema({ enum: Array.from({ length: 17_000 }, (_, at) => at) })],
  ['a changed text', replaced('"displayName":"Bucket"', '"displayName":"Pail"')],
  ['a changed schema', replaced('"minimum":1', '"minimum":0')],
  [
    'the digest of another package',
    replaced(formPackage().packageDigest, formPackage({ deprecated: true }).packageDigest),
  ],
  ['a digest in upper case', replaced(formPackage().packageDigest, formPackage().packageDigest.toUpperCase())],
  ['a kind that is a path', withMembers({ formRef: { ...ref, kind: '../../Bucket' } })],
  ['a version with a line break', withMembers({ formRef: { ...ref, definitionVersion: '1\n2' } })],
  ['the version latest of another shape', withMembers({ formRef: { ...ref, definitionVersion: { latest: true } } })],
  ['a hook', withMembers({ hooks: { install: 'rm -rf /' } })],
  ['an operation of another system', withMembers({ operations: ['exec'] })],
  ['all Workspaces and one more', withMembers({ activation: { spaces: ['*', 'ws_01K8Z3QF7M2XW5N9B4C6D8EW10'] } })],
  ['a Workspace by its handle', withMembers({ activation: { spaces: ['main'] } })],
  ['control characters for a terminal', withMembers({ displayName: '\u001b]0;x\u0007' })],
  ['a private key in its description', withMembers({ description: '-----BEGIN RSA PRIVATE KEY-----' })],
  ['a schema from the network', withSchema({ $ref: 'https://example.com/schema.json' })],
  ['a schema from the disk', withSchema({ $ref: 'file:///etc/passwd' })],
  ['a schema without a scheme', withSchema({ $ref: '//example.com/schema.json' })],
  ['the meta-schema by its address', withSchema({ $ref: 'https://json-schema.org/draft/2020-12/schema' })],
  ['another base for a reference', withSchema({ $id: 'https://example.com/', $ref: '#/$defs/a', $defs: { a: {} } })],
  ['a base inside a definition', withSchema({ $ref: '#/$defs/a', $defs: { a: { $id: 'file:///etc/passwd' } } })],
  ['a reference into a value', withSchema({ $ref: '#/enum/0', enum: [{ $ref: 'file:///etc/passwd' }] })],
  ['a reference into an annotation', withSchema({ $ref: '#/x-a', 'x-a': { $ref: 'file:///etc/passwd' } })],
  ['a dynamic reference outside', withSchema({ $dynamicRef: 'https://example.com/#node' })],
  ['a recursive reference of 2019', withSchema({ $recursiveRef: '#' })],
  ['a vocabulary', withSchema({ $vocabulary: { 'https://example.com/run': true } })],
  ['an older dialect', withSchema({ $schema: 'http://json-schema.org/draft-04/schema#', id: 'x' })],
  ['a keyword of a validator', withSchema({ $data: '1/a', $async: true })],
  ['a pattern that is not one', withSchema({ pattern: '(?<a>' })],
  ['a pattern of a name that is not one', withSchema({ patternProperties: { '*': {} } })],
  ['the Output of a Capsule', withSpec({ inputs: { a: { source: 'capsule_output', outputName: 'password' } } })],
  ['another Resource', withSpec({ inputs: { a: { source: 'resource_output', resourceId: 'res_1' } } })],
  ['a token in an Interface', withSpec({ document: { note: 'Bearer abcdefgh12345678' } })],
  ['a key of the host in an Interface', withSpec({ document: { workspaceId: 'x' } })],
  ['a visibility that does not exist', withSpec({ access: { visibility: 'public' } })],
];

/** Refers to the next level twice. */
const doubling = {
  $ref: '#/$defs/a0',
  $defs: Object.fromEntries(
    Array.from({ length: 41 }, (_, at) => {
      const next = { $ref: `#/$defs/a${at + 1}` };
      return [`a${at}`, at === 40 ? {} : { allOf: [next, next] }];
    }),
  ),
};
const specs: readonly (readonly [string, unknown, Json])[] = [
  ['an exponential pattern', { pattern: '^(a|a)*$' }, `${'a'.repeat(100)}!`],
  ['a pattern that is too large to run', { pattern: '^(((a{1,999}){1,999}){1,999}){1,999}$' }, `${'a'.repeat(5_000)}!`],
  ['an exponential tree of references', doubling, {}],
  ['a schema that refers to itself', { $defs: { a: { $ref: '#' } }, $ref: '#/$defs/a' }, {}],
  [
    'very many different objects',
    { uniqueItems: true },
    Array.from({ length: 40_000 }, (_, at) => ({ a: { b: { at } } })),
  ],
  ['members named like those of every object', { required: ['toString', 'valueOf'] }, {}],
  ['a member that hides a method', { const: { a: 1 } }, { hasOwnProperty: 1, valueOf: 2, toString: 3 }],
  ['a number with many digits', { type: 'integer' }, parsePackage('[12345678901234567890]')],
];

/** Every file of the data folder outside `forms`, and its size; the ledger and its log grow by themselves. */
const outside = () =>
  fs
    .readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('forms') && !name.startsWith('ledger.db'))
    .sort();
const above = () => fs.readdirSync(path.dirname(dataDir)).filter((name) => /\.json|passwd|Bucket/.test(name));

test('50 hostile packages are refused with a reason, as a file and by a request, and write nothing', async () => {
  const before = [outside(), above()];
  fs.mkdirSync(path.join(dataDir, 'forms'));
  for (const [at, [, text]] of packages.entries()) fs.writeFileSync(path.join(dataDir, 'forms', `${at}.json`), text);
  await service.reread();
  const { packages: listed } = service.list({ limit: 1_000 });
  const reasons = new Map(listed.map(({ file, reason }) => [file, reason]));
  expect(packages.filter((_, at) => !/^\S.*\.$/s.test(reasons.get(`${at}.json`) ?? '')).map(([name]) => name)).toEqual(
    [],
  );
  fs.rmSync(path.join(dataDir, 'forms'), { recursive: true });
  const accepted: string[] = [];
  for (const [name, text] of packages) {
    try {
      (await service.prepareInstall({ file: 'a.json', json: parsePackage(text) }))('operator');
      accepted.push(name);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      if (error instanceof AppError) expect(error.code).toBe('invalid_argument');
    }
  }
  expect([accepted, packages.length, outside(), above()]).toEqual([[], 50, ...before]);
  expect(fs.existsSync(path.join(dataDir, 'forms'))).toBe(false);
});

test.each(specs)('a spec with %s is refused with a reason, and the next spec is checked', async (_, schema, spec) => {
  const hostile = withDigests(formPackageJson({ desiredSchema: schema }) as JsonObject);
  const plain = formPackage();
  const install = async (file: string, json: Json) => {
    const work = await service.prepareInstall({ file, json });
    db.write(() => work('operator'));
  };
  await install(`${String(hostile['packageDigest']).slice(-12)}.json`, hostile);
  await install('plain.json', plain as unknown as Json);
  const identity = identityOf(formPackage({ desiredSchema: schema }));
  const result = await service.validateSpec(identity, spec);
  expect(result).toMatchObject({ valid: false, message: expect.stringMatching(/^It.*\.$/) });
  expect(await service.validateSpec(identityOf(plain), { size: 1 })).toEqual({ valid: true });
});
