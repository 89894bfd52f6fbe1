import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { readProviders } from './providers.ts';

const dir = tempDir();
afterAll(() => fs.rmSync(dir, { recursive: true }));

const file = path.join(dir, 'providers.json');
const provider = { id: 'example', label: 'Example', issuer: 'https://id.example', clientId: 'ground' };
const read = (content: unknown) => {
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readProviders(file);
};

test('a file of providers is read with what it leaves out', () => {
  expect(read([provider])).toEqual([{ ...provider, scopes: ['openid', 'email', 'profile'], autoProvision: false }]);
  expect(readProviders(undefined)).toEqual([]);
});

test('a secret of the file is never shown', () => {
  const [one] = read([{ ...provider, clientSecret: 'very-secret' }]);
  expect(JSON.stringify(one)).not.toContain('very-secret');
  expect(one?.clientSecret?.reveal()).toBe('very-secret');
});

test.each([
  ['{', 'is not valid JSON'],
  [{}, 'is not valid'],
  [[{ ...provider, id: 'A' }], '0.id is not valid'],
  [[{ ...provider, issuer: 'http://id.example' }], '0.issuer is not valid. Must be an https address.'],
  [[{ ...provider, issuer: 'https://id.example?x=1' }], '0.issuer is not valid'],
  [[{ ...provider, scopes: ['email'] }], '0.scopes is not valid. It must contain openid.'],
  [[{ ...provider, client_secret: 'oops-secret' }], 'It has an unknown key: client_secret.'],
  [[provider, provider], 'the id example is used twice'],
])('%j stops the start with a message', (content, message) => {
  expect(() => read(content)).toThrow(message);
  expect(() => read(content)).not.toThrow('oops-secret');
});

test('a missing file stops the start', () => {
  expect(() => readProviders(path.join(dir, 'none.json'))).toThrow('cannot be read');
});
