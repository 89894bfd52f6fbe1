import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findSchema, keepSchema, listSchemas, removeSchema, type SchemaOwner } from './schema-store.ts';

let store: string;
beforeEach(() => {
  store = mkdtempSync(path.join(tmpdir(), 'schemas-'));
});
afterEach(() => rmSync(store, { recursive: true }));

const owner: SchemaOwner = { address: 'host/test/fake', version: '1.0.0', platform: 'linux_amd64', h1: 'h1:a' };
const schema = { protocol: 5 as const, message: Buffer.from('bytes') };

test('finds the schema that was stored for exactly this package', () => {
  expect(findSchema(store, owner)).toBeUndefined();
  keepSchema(store, owner, schema);
  expect(findSchema(store, owner)).toEqual(schema);
  for (const other of [{ h1: 'h1:b' }, { version: '1.0.1' }, { platform: 'linux_arm64' }, { address: 'host/test/x' }])
    expect(findSchema(store, { ...owner, ...other })).toBeUndefined();
});

test('deletes and lists stored schemas', () => {
  keepSchema(store, owner, schema);
  const [listed] = listSchemas(store);
  expect(listed && existsSync(listed.path)).toBe(true);
  removeSchema(store, owner);
  expect([findSchema(store, owner), listSchemas(store)]).toEqual([undefined, []]);
});

test('ignores a damaged file, and replaces it', () => {
  keepSchema(store, owner, schema);
  const file = listSchemas(store)[0]?.path ?? '';
  for (const damage of ['', 'no schema', `${readFileSync(file, 'latin1')}x`]) {
    writeFileSync(file, damage, 'latin1');
    expect(findSchema(store, owner)).toBeUndefined();
  }
  keepSchema(store, owner, schema);
  expect(findSchema(store, owner)).toEqual(schema);
});
