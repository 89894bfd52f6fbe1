import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExactNumber } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { CommandError } from '../exit-codes.ts';
import { readSecretValues } from './secret-values.ts';
import { fitValues, missingValues, readText, readTypedValues } from './values.ts';

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-values-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const declare = (name: string, typeText?: string, over: Partial<VariableDeclaration> = {}): VariableDeclaration => ({
  name,
  type: 'unknown',
  hasDefault: false,
  ...(typeText !== undefined && { typeText }),
  ...over,
});
const file = (name: string, text: string): string => {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const sent = (
  declarations: VariableDeclaration[],
  options: Parameters<typeof readTypedValues>[0],
  secrets: [string, string][] = [],
) => fitValues({ declarations, typed: readTypedValues(options), secretTexts: new Map(secrets) });
/** Returns the message of an error, which has to be a wrong-use error. */
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === 2) return error.message;
    throw error;
  }
  throw new Error('It was taken.');
};

test.each<[string | undefined, string, Json]>([
  ['string', '5', '5'],
  ['string', 'a = b', 'a = b'],
  ['string', '', ''],
  [undefined, '[1]', '[1]'],
  ['number', ' 5 ', 5],
  ['number', '0.1', 0.1],
  ['number', '12345678901234567891', ExactNumber.read('12345678901234567891') as Json],
  ['number', '+1', '+1'],
  ['bool', 'true', true],
  ['bool', 'false', false],
  ['list(string)', '["a", "b"]', ['a', 'b']],
  ['map(number)', '{ a = 1, b = 2 }', { a: 1, b: 2 }],
  ['object({ name = string })', '{"name": "x"}', { name: 'x' }],
  ['any', '{"a": [1, null]}', { a: [1, null] }],
])('%s takes %j as %j', (typeText, text, expected) => {
  expect(readText(declare('v', typeText), text)).toEqual(expected);
});

describe('values', () => {
  test('of options win over those of files, and a later file over an earlier one', () => {
    const one = file('one.json', '{"a": 1, "b": 1, "c": 1}');
    const two = file('two.json', '{"b": 2, "c": 2}');
    const declared = ['a', 'b', 'c'].map((name) => declare(name, 'number'));
    expect(sent(declared, { 'var-file': [one, two], var: ['c=3'] }).variables).toEqual({ a: 1, b: 2, c: 3 });
  });

  test('that are secret are named, so that they are sealed', () => {
    const result = sent([declare('key', 'string', { sensitive: true })], { 'secret-var': ['key'] }, [['key', 'hush']]);
    expect(result).toEqual({ variables: { key: 'hush' }, secretVariables: ['key'] });
  });

  test.each([
    [['x'], 'takes NAME=VALUE'],
    [['=x'], 'takes NAME=VALUE'],
    [['1a=x'], 'takes NAME=VALUE'],
    [['other=x'], 'The module has no variable "other". It has: count, list.'],
    [['count=many'], 'The variable "count" does not fit its type, number. A number is expected'],
    [['list=a'], 'The value of "list" cannot be read. Its type is list(number)'],
    [['list=["a"]'], 'The variable "list" at /0 does not fit its type'],
  ])('%j are refused with a sentence', (pairs, message) => {
    const declared = [declare('count', 'number'), declare('list', 'list(number)')];
    expect(refusal(() => sent(declared, { var: pairs }))).toContain(message);
  });

  test.each([
    ['{', 'cannot be used: The text is not valid JSON.'],
    ['[]', 'does not contain a JSON object'],
    ['{"a":1,"a":2}', 'A key appears twice'],
    ['{"not a name": 1}', 'cannot be the name of a variable'],
  ])('from a file with %s are refused', (text, message) => {
    expect(refusal(() => readTypedValues({ 'var-file': [file('odd.json', text)] }))).toContain(message);
  });

  test('from a file that is not there are refused', () => {
    expect(refusal(() => readTypedValues({ 'var-file': ['/nowhere.json'] }))).toBe('/nowhere.json cannot be read.');
  });

  test('no refusal repeats a secret that was typed by mistake', () => {
    const typed = refusal(() => readTypedValues({ 'secret-var': ['key=hunter2'] }));
    const sensitive = refusal(() => sent([declare('key', 'string', { sensitive: true })], { var: ['key=hunter2'] }));
    const misfit = refusal(() => sent([declare('key', 'number')], { 'secret-var': ['key'] }, [['key', 'hunter2']]));
    const unread = refusal(() =>
      sent([declare('key', 'list(string)')], { 'secret-var': ['key'] }, [['key', 'hunter2']]),
    );
    expect([typed, sensitive, misfit, unread].join()).not.toContain('hunter2');
  });

  test('one name by two options is refused', () => {
    expect(refusal(() => readTypedValues({ var: ['a=1'], 'secret-var': ['a'] }))).toContain('both name "a"');
    expect(refusal(() => readTypedValues({ 'secret-var': ['a', 'a'] }))).toContain('twice');
  });

  test('what lacks is what has neither default nor value, nor a Connection that gives one', () => {
    const declared = [declare('a'), declare('b', 'string', { hasDefault: true }), declare('c'), declare('d')];
    const lacking = missingValues(declared, { variables: { a: 1 }, secretVariables: [] }, ['c']);
    expect(lacking.map(({ name }) => name)).toEqual(['d']);
  });
});

describe('secret values', () => {
  const silent = { isInteractive: false, promptHidden: async () => '', readInput: async () => '' };

  test('come from the environment first', async () => {
    expect(await readSecretValues(['a'], silent, { GROUNDCTL_VAR_a: 'from env' })).toEqual(
      new Map([['a', 'from env']]),
    );
  });

  test('one alone takes all of standard input, so that a key of many lines can be given', async () => {
    const piped = { ...silent, readInput: async () => 'line 1\nline 2\n' };
    expect(await readSecretValues(['key'], piped, {})).toEqual(new Map([['key', 'line 1\nline 2']]));
  });

  test('several take a line each, in their order', async () => {
    const piped = { ...silent, readInput: async () => 'one\r\ntwo\n' };
    expect(await readSecretValues(['a', 'env', 'b'], piped, { GROUNDCTL_VAR_env: 'e' })).toEqual(
      new Map([
        ['env', 'e'],
        ['a', 'one'],
        ['b', 'two'],
      ]),
    );
  });

  test('are asked for by name where a person is', async () => {
    const person = { ...silent, isInteractive: true, promptHidden: async (prompt: string) => `said to ${prompt}` };
    expect(await readSecretValues(['a'], person, {})).toEqual(new Map([['a', 'said to a: ']]));
  });

  test('that are empty are refused with where to put them', async () => {
    await expect(readSecretValues(['a'], silent, {})).rejects.toThrow('Set GROUNDCTL_VAR_a');
  });
});
