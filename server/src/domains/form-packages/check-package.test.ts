import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJsonSchemas, type JsonSchemas } from '#server/drivers/json-schema/index';
import type { Json, JsonObject } from '#shared/kernel/json';
import { bucketInterface, formPackage, formPackageJson } from '../../../test/form-package.ts';
import { checkPackage } from './check-package.ts';
import { digestsOf, packageText, parsePackage, withDigests } from './package-json.ts';

let schemas: JsonSchemas;
beforeAll(() => {
  schemas = createJsonSchemas();
});
afterAll(() => schemas.close());

const check = (json: Json) => checkPackage(json, schemas);
const ref = { apiVersion: 'a/v1', kind: 'Bucket', definitionVersion: '1', schemaDigest: '' };
const binding = { key: 'open', permissions: ['files.read'], delivery: { type: 'none' } };
const installing = { source: 'installing_principal' };

/** A package whose schema nests this deep in `not`. */
const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) });

describe('checkPackage', () => {
  it.each([
    ['the smallest package', {}],
    ['one with an Interface', { interfaces: [bucketInterface] }],
    ['one with a binding', { interfaces: [{ ...bucketInterface, bindings: [{ ...binding, subject: installing }] }] }],
    ['one that is not activated', { activation: { spaces: [] } }],
    ['one for one Workspace', { activation: { spaces: ['ws_01K8Z3QF7M2XW5N9B4C6D8EW10'] } }],
    ['one without operations', { operations: [] }],
  ])('accepts %s', async (_, members) => {
    const json = formPackageJson(members);
    expect(await check(json)).toEqual({
      problems: [],
      identity: { formRef: json['formRef'], packageDigest: json['packageDigest'] },
      package: json,
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['another kind of file', { kind: 'other.form-package@v1' }, '/kind'],
    ['an unknown member', { hooks: [] }, '/hooks'],
    ['a kind in lower case', { formRef: { ...ref, kind: 'bucket' } }, '/formRef/kind'],
    ['an unknown member of the reference', { formRef: { ...ref, latest: true } }, '/formRef/latest'],
    [
      'a reference without a version',
      { formRef: { ...ref, definitionVersion: undefined } },
      '/formRef/definitionVersion',
    ],
    ['an unknown operation', { operations: ['apply', 'destroy'] }, '/operations/1'],
    ['an operation twice', { operations: ['read', 'read'] }, '/operations'],
    ['a Workspace by its handle', { activation: { spaces: ['main'] } }, '/activation/spaces/0'],
    [
      'the star beside a Workspace',
      { activation: { spaces: ['*', 'ws_01K8Z3QF7M2XW5N9B4C6D8EW10'] } },
      '/activation/spaces',
    ],
    ['a switch that is a text', { executable: 'yes' }, '/executable'],
    ['a name with a control character', { displayName: 'a\u0007' }, '/displayName'],
    ['a credential in the description', { description: 'use ghp_abcdefgh1234' }, '/description'],
    ['a schema that is a text', { desiredSchema: 'object' }, '/desiredSchema'],
    ['a remote reference', { desiredSchema: { $ref: 'https://example.com/s' } }, '/desiredSchema/$ref'],
    ['a reference to a file', { desiredSchema: { $ref: 'file:///etc/passwd' } }, '/desiredSchema/$ref'],
    ['a dynamic reference elsewhere', { desiredSchema: { $dynamicRef: 'x#y' } }, '/desiredSchema/$dynamicRef'],
    ['another base', { desiredSchema: { $id: 'https://example.com/s' } }, '/desiredSchema/$id'],
    ['a nested base', { desiredSchema: { items: { $id: '#a' } } }, '/desiredSchema/items/$id'],
    ['another vocabulary', { desiredSchema: { $vocabulary: {} } }, '/desiredSchema/$vocabulary'],
    [
      'another dialect',
      { desiredSchema: { $schema: 'http://json-schema.org/draft-04/schema#' } },
      '/desiredSchema/$schema',
    ],
    ['a misspelled keyword', { desiredSchema: { x_type: {} } }, '/desiredSchema/x_type'],
    ['a pattern that is not one', { desiredSchema: { pattern: '(' } }, '/desiredSchema/pattern'],
    ['a type that does not exist', { desiredSchema: { type: 'file' } }, '/desiredSchema/type'],
    [
      'an Interface with the output of a Capsule',
      { interfaces: [withInput({ source: 'capsule_output', outputName: 'a' })] },
      '/interfaces/0/spec/inputs/a/source',
    ],
    [
      'an Interface that names a Resource',
      { interfaces: [withInput({ source: 'resource_output', resourceId: 'res_1' })] },
      '/interfaces/0/spec/inputs/a/resourceId',
    ],
    [
      'an invalid pointer',
      { interfaces: [withInput({ source: 'resource_output', pointer: 'a' })] },
      '/interfaces/0/spec/inputs/a/pointer',
    ],
    [
      'a secret in an Interface',
      { interfaces: [withInput({ source: 'literal', value: 'ghp_abcdefgh1234' })] },
      '/interfaces/0/spec/inputs/a/value',
    ],
    [
      'a record of the host in an Interface',
      { interfaces: [{ ...bucketInterface, spec: { ...bucketInterface.spec, document: { workspaceId: 'x' } } }] },
      '/interfaces/0/spec/document/workspaceId',
    ],
    [
      'a URI input that does not exist',
      {
        interfaces: [
          {
            ...bucketInterface,
            spec: { ...bucketInterface.spec, access: { visibility: 'workspace', resourceUriInput: 'no' } },
          },
        ],
      },
      '/interfaces/0/spec/access/resourceUriInput',
    ],
    [
      'two Interfaces with one key',
      { interfaces: [bucketInterface, { ...bucketInterface, name: 'other' }] },
      '/interfaces',
    ],
    [
      'a binding without a subject',
      { interfaces: [{ ...bucketInterface, bindings: [binding] }] },
      '/interfaces/0/bindings/0/subject',
    ],
    [
      'a name of an Interface that is too long',
      { interfaces: [{ ...bucketInterface, name: 'a'.repeat(65) }] },
      '/interfaces/0/name',
    ],
  ])('refuses %s', async (_, members, pointer) => {
    const json = formPackageJson(members);
    const { problems, package: checked } = await check(JSON.parse(JSON.stringify(withDigests(json))) as Json);
    expect(checked).toBeUndefined();
    expect(problems.map((problem) => problem.pointer)).toContain(pointer);
    expect(problems.every(({ message }) => /^[A-Z].*\.$/s.test(message))).toBe(true);
  });

  it('refuses digests that are not those of the content, and keeps the reference that the file claims', async () => {
    const changed = { ...formPackageJson(), displayName: 'Changed' };
    const { formRef, packageDigest } = formPackage();
    expect(await check(changed)).toEqual({
      identity: { formRef, packageDigest },
      problems: [{ pointer: '/packageDigest', message: expect.stringContaining('changed') }],
    });
    const other = { ...formPackageJson(), desiredSchema: {} };
    expect((await check(other)).problems.map(({ pointer }) => pointer)).toEqual([
      '/formRef/schemaDigest',
      '/packageDigest',
    ]);
  });

  it('refuses a value that is nested too deep or holds too much, without a look at its schema', async () => {
    expect((await check(formPackageJson({ desiredSchema: nested(62) }))).problems).toMatchObject([
      { message: 'It is nested too deeply, or too large.' },
    ]);
    expect(
      (await check(formPackageJson({ desiredSchema: { enum: Array.from({ length: 20_000 }, (_, at) => at) } })))
        .problems,
    ).toHaveLength(1);
  });

  it('refuses a package whose file the next start would not read', async () => {
    const json = formPackageJson({ desiredSchema: { enum: Array.from({ length: 16_000 }, () => 'abcdefgh') } });
    expect(() => parsePackage(JSON.stringify(json))).not.toThrow();
    expect(() => parsePackage(packageText(json))).toThrow(/larger/);
    expect((await check(json)).problems).toEqual([
      { pointer: '', message: expect.stringMatching(/larger than 262144/) },
    ]);
  });

  it('reports several problems of one file', async () => {
    const { problems } = await check(
      withDigests({ ...formPackageJson(), executable: 1, hooks: 2, desiredSchema: { pattern: '(' } } as JsonObject),
    );
    expect(problems.map(({ pointer }) => pointer).sort()).toEqual(['/desiredSchema/pattern', '/executable', '/hooks']);
  });

  it.each(['[]', '7', 'null', '{}'])('refuses %s', async (text) => {
    expect((await check(parsePackage(text))).problems.length).toBeGreaterThan(0);
  });
});

describe('parsePackage', () => {
  it.each([
    ['two equal keys', '{"a":1,"a":2}', /twice/],
    ['__proto__', '{"__proto__":{"kind":1}}', /__proto__/],
    ['an escaped __proto__', '{"\\u005f_proto__":1}', /__proto__/],
    ['deep nesting', `${'['.repeat(61)}${']'.repeat(61)}`, /nested/],
    ['half a character', '"\\ud800"', /surrogate/],
    ['a text that is not JSON', '{kind:1}', /not valid JSON/],
    ['a huge number', `{"a":1e99999}`, /number|JSON/],
  ])('refuses %s', (_, text, message) => {
    expect(() => parsePackage(text)).toThrow(message);
  });

  it('refuses bytes that are not UTF-8, and too many of them', () => {
    expect(() => parsePackage(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow(/UTF-8/);
    expect(() => parsePackage(`"${'a'.repeat(262_144)}"`)).toThrow(/larger/);
  });
});

describe('digestsOf', () => {
  it('does not depend on the order of members, nor on the digest of the file', () => {
    const json = formPackageJson();
    const turned = Object.fromEntries(Object.entries(json).reverse());
    expect(digestsOf(turned)).toEqual(digestsOf(json));
    expect(digestsOf({ ...json, packageDigest: 'x' })).toEqual(digestsOf(json));
  });
});

function withInput(input: unknown) {
  return { ...bucketInterface, spec: { ...bucketInterface.spec, inputs: { a: input } } };
}
