import { describe, expect, test } from 'vitest';
import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { AppError } from '../../kernel/errors.ts';
import { patchValues, refuseSentinels } from './patch.ts';

const declared = (name: string, more: Partial<VariableDeclaration> = {}): VariableDeclaration => ({
  name,
  type: 'string',
  typeText: 'string',
  hasDefault: true,
  ...more,
});
const declarations = [
  declared('title', { hasDefault: false }),
  declared('seats', { type: 'number', typeText: 'number' }),
  declared('pin', { sensitive: true }),
  declared('note'),
  declared('zone', { nullable: false }),
  declared('owner', { typeText: 'object({ name = string, tags = list(string) })' }),
];
const current = { variables: { title: 'Books', note: 'hidden', seats: 2 }, secretVariables: ['note'] };
type Patch = { set?: { [name: string]: Json }; remove?: string[] };
const patched = ({ set = {}, remove = [] }: Patch, from: Parameters<typeof patchValues>[0] = current) =>
  patchValues(from, { set, remove }, { declarations });
/** Returns reason and pointer of the refusal; its message must not contain a value. */
function refusal(work: () => unknown): [unknown, unknown] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.message).not.toMatch(/secret-value|ghp_/);
    return [error.details?.reason ?? error.code, error.details?.field];
  }
  throw new Error('the patch was accepted');
}

describe('a patch', () => {
  test('changes what it names and keeps the rest', () => {
    expect(patched({ set: { title: 'Films' }, remove: ['seats'] })).toEqual({
      variables: { title: 'Films', note: 'hidden' },
      secretVariables: ['note'],
    });
    expect(patched({})).toEqual(current);
    expect(patched({ remove: ['zone'] })).toEqual(current);
  });

  test('keeps secret values secret, also after a value was removed, and so for variables that are declared sensitive', () => {
    const removed = patched({ set: { pin: '4711' }, remove: ['note'] });
    expect(removed).toEqual({
      variables: { title: 'Books', seats: 2, pin: '4711' },
      secretVariables: ['note', 'pin'],
    });
    expect(patched({ set: { note: 'again' } }, removed).secretVariables).toEqual(['note', 'pin']);
  });

  test('hides a kept value that the module now declares sensitive', () => {
    const open = { variables: { title: 'Books', pin: '4711' }, secretVariables: [] };
    expect(patched({}, open).secretVariables).toEqual(['pin']);
  });

  test('accepts null where the module does', () => {
    expect(patched({ set: { title: null } }).variables['title']).toBeNull();
    expect(refusal(() => patched({ set: { zone: null } }))).toEqual([
      'capsule_configuration_value_type_mismatch',
      '/variablePatch/set/zone',
    ]);
  });
});

describe('a patch is refused', () => {
  test.each<[string, Patch, string, string | undefined]>([
    ['an unknown name to set', { set: { color: 1 } }, 'generic_variable_invalid', '/variablePatch/set/color'],
    [
      'an unknown name to remove',
      { remove: ['seats', 'color'] },
      'generic_variable_invalid',
      '/variablePatch/remove/1',
    ],
    ['a name that every object has', { remove: ['toString'] }, 'generic_variable_invalid', '/variablePatch/remove/0'],
    ['a wrong type', { set: { seats: 'secret-value' } }, 'value_type_mismatch', '/variablePatch/set/seats'],
    [
      'a wrong type inside',
      { set: { owner: { name: 'a', tags: ['b', ['secret-value']] } } },
      'value_type_mismatch',
      '/variablePatch/set/owner/tags/1',
    ],
    ['a removed value that is required', { remove: ['title'] }, 'required_value_missing', '/variablePatch/remove/0'],
  ])('for %s', (_, patch, reason, field) => {
    expect(refusal(() => patched(patch))).toEqual([`capsule_configuration_${reason}`, field]);
  });

  test('for a value that was missing before', () => {
    const bare = { variables: {}, secretVariables: [] };
    expect(refusal(() => patched({}, bare))).toEqual([
      'capsule_configuration_required_value_missing',
      '/variablePatch/set/title',
    ]);
  });

  test('for a kept value that became invalid, until it is set or removed', () => {
    const reason = 'capsule_configuration_current_value_invalid';
    const gone = { variables: { title: 'Books', color: 'secret-value' }, secretVariables: ['color'] };
    expect(refusal(() => patched({}, gone))).toEqual([reason, '/variablePatch/set/color']);
    expect(patched({ remove: ['color'] }, gone).variables).toEqual({ title: 'Books' });
    const wrong = { variables: { title: 'Books', seats: 'secret-value' }, secretVariables: [] };
    expect(refusal(() => patched({}, wrong))).toEqual([reason, '/variablePatch/set/seats']);
    expect(patched({ set: { seats: 3 } }, wrong).variables).toEqual({ title: 'Books', seats: 3 });
  });

  test('for a readable credential, but not where it is kept secret', () => {
    const credential = 'ghp_0123456789abcdef';
    expect(refusal(() => patched({ set: { title: credential } }))).toEqual([
      'secret_like_value',
      '/variablePatch/set/title',
    ]);
    expect(patched({ set: { note: credential, pin: credential } }).secretVariables).toEqual(['note', 'pin']);
  });

  test('for the placeholder of a kept secret, at any depth', () => {
    const reason = 'capsule_configuration_redacted_value_reserved';
    const of = (set: { [name: string]: Json }) => refusal(() => refuseSentinels({ set, remove: [] }));
    expect(of({ pin: '[REDACTED]' })).toEqual([reason, '/variablePatch/set/pin']);
    expect(of({ title: 'a', owner: { tags: ['[REDACTED]'] } })).toEqual([reason, '/variablePatch/set/owner']);
    refuseSentinels({ set: { title: 'not [REDACTED] alone' }, remove: ['pin'] });
  });

  test('when the kept values would be too large in total', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`long${n}`, 'x'.repeat(30_000)]));
    const wide = Object.keys(many).map((name) => declared(name));
    const existing = { variables: Object.fromEntries(Object.entries(many).slice(0, 6)), secretVariables: [] };
    const set = Object.fromEntries(Object.entries(many).slice(6));
    expect(refusal(() => patchValues(existing, { set, remove: [] }, { declarations: wide }))).toEqual([
      'invalid_request',
      '/variablePatch/set',
    ]);
  });
});
