import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { FixtureError, parseFixture } from './fixture.ts';

/** The fixture that the documentation shows, with whole digests. */
function documentedFixture(): string {
  const page = readFileSync(path.join(repositoryRoot, 'docs/form-host.md'), 'utf8');
  const [, block = ''] = /```json\n(\{\n {2}"kind": "svc\.form-conformance-fixture@v1"[\s\S]*?)```/.exec(page) ?? [];
  return block.replaceAll('sha256:…', `sha256:${'0'.repeat(64)}`);
}

it('accepts the fixture of the documentation', () => {
  expect(parseFixture(documentedFixture())).toMatchObject({ space: 'acme', name: 'conformance' });
});

it('prefers the space of the caller', () => {
  expect(parseFixture(documentedFixture(), { space: 'other' }).space).toBe('other');
});

it.each([
  ['an unknown member', '{"kind":1,"secret-member":"value-to-hide"}'],
  ['broken JSON', '{"secret":"value-to-hide"'],
  ['a key twice', '{"kind":"value-to-hide","kind":"value-to-hide"}'],
  ['a number', '7'],
])('refuses %s and repeats no value', (_, json) => {
  const refusal = () => parseFixture(json);
  expect(refusal).toThrow(FixtureError);
  expect(refusal).not.toThrow(/value-to-hide/);
});

it.each([
  ['an unknown member', { extra: 1 }, '"/extra" is not one of a fixture'],
  ['two equal desired states', { update: { greeting: 'good morning' } }, 'are equal'],
  ['a short digest', { form: { ...form(), packageDigest: 'sha256:0' } }, '"/form/packageDigest"'],
])('names the problem of a fixture with %s', (_, change, message) => {
  const fixture = { ...(JSON.parse(documentedFixture()) as object), ...change };
  expect(() => parseFixture(JSON.stringify(fixture))).toThrow(message);
});

function form(): object {
  return (JSON.parse(documentedFixture()) as { form: object }).form;
}
