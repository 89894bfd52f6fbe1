import { describe, expect, test } from 'vitest';
import { parseType } from '#shared/variables/type-expression';
import { dependenciesOf, isComplete, isFit } from './output-choice.ts';

const typeOf = (text: string) => parseType(text) ?? { kind: 'any' as const };

describe('isFit', () => {
  test.each([
    [{ value: 'a' }, 'string', true],
    [{ value: ['a'] }, 'string', false],
    [{ value: ['a'] }, 'list(string)', true],
    [{ value: false }, 'bool', true],
    [{ value: null }, 'string', false],
    [{ type: 'number' as const }, 'number', true],
    [{ type: 'hostname' as const }, 'number', false],
    [{ type: 'json' as const }, 'number', undefined],
    [{ isSensitive: true }, 'string', undefined],
  ])('of %j for %s is %s', (offered, type, fit) => {
    expect(isFit({ name: 'x', isSensitive: false, ...offered }, typeOf(type), false)).toBe(fit);
  });
});

test('a whole state is complete without an Output', () => {
  expect(isComplete({ producerId: 'cap_1', mode: 'remote_state', from: '' })).toBe(true);
  expect(isComplete({ producerId: 'cap_1', mode: 'variable_injection', from: '' })).toBe(false);
  expect(isComplete({ producerId: '', mode: 'remote_state', from: '' })).toBe(false);
});

test('dependenciesOf joins the Outputs of one Capsule and mode', () => {
  const network = { producerId: 'cap_1', mode: 'variable_injection' as const };
  expect(
    dependenciesOf({
      vpc: { ...network, from: 'id' },
      zone: { ...network, from: 'zone' },
      state: { producerId: 'cap_1', mode: 'remote_state', from: '' },
    }),
  ).toEqual([
    {
      producerCapsuleId: 'cap_1',
      mode: 'variable_injection',
      outputs: {
        vpc: { from: 'id', to: 'vpc', required: true },
        zone: { from: 'zone', to: 'zone', required: true },
      },
    },
    {
      producerCapsuleId: 'cap_1',
      mode: 'remote_state',
      outputs: { state: { from: 'state', to: 'state', required: true } },
    },
  ]);
});
