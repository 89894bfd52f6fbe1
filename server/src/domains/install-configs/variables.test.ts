import { expect, test } from 'vitest';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { findOversize, findVariableProblem, secretNames } from './variables.ts';

const declared = (name: string, more: Partial<VariableDeclaration> = {}): VariableDeclaration => ({
  name,
  type: 'string',
  typeText: 'string',
  hasDefault: false,
  ...more,
});

test('a missing value without a default is reported by name', () => {
  const problem = findVariableProblem({ values: {}, secret: [], declarations: [declared('region')] });
  expect(problem).toMatchObject({ code: 'install_variable_required', message: expect.stringContaining('"region"') });
});

test('null fills a required variable unless it is not nullable', () => {
  const findProblem = (nullable: boolean) =>
    findVariableProblem({ values: { a: null }, secret: [], declarations: [declared('a', { nullable })] });
  expect(findProblem(true)).toBeUndefined();
  expect(findProblem(false)?.code).toBe('install_variable_invalid');
});

test('a wrong type is refused with the expected type, never with the value', () => {
  const problem = findVariableProblem({
    values: { n: { hidden: 'zzz' } },
    secret: [],
    declarations: [declared('n', { typeText: 'number' })],
  });
  expect(problem?.code).toBe('install_variable_invalid');
  expect(problem?.message).not.toContain('zzz');
});

test('an unknown name is refused', () => {
  expect(findVariableProblem({ values: { b: 1 }, secret: [], declarations: [] })?.code).toBe(
    'install_variable_invalid',
  );
});

test('a value that looks like a credential has to be declared sensitive or named secret', () => {
  const values = { key: 'ghp_123456789' };
  expect(findVariableProblem({ values, secret: [], declarations: [declared('key')] })?.reason).toBe(
    'secret_like_value',
  );
  expect(findVariableProblem({ values, secret: ['key'], declarations: [declared('key')] })).toBeUndefined();
  expect(
    findVariableProblem({ values, secret: [], declarations: [declared('key', { sensitive: true })] }),
  ).toBeUndefined();
});

test('the secret names are those that the module marks and those that the installer names', () => {
  const input = {
    values: { a: 1, b: 2, c: 3 },
    secret: ['b', 'x'],
    declarations: [declared('a', { sensitive: true }), declared('b'), declared('c')],
  };
  expect(secretNames(input)).toEqual(['a', 'b']);
});

test('too many, too large and too deep values are reported with a pointer', () => {
  expect(findOversize(Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`v${i}`, 1])))).toBe('/variables');
  expect(findOversize({ a: 'x'.repeat(40_000) })).toBe('/variables/a');
  expect(findOversize({ a: 'x' })).toBeUndefined();
});
