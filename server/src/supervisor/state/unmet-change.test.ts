import { describe, expect, it } from 'vitest';
import { readState, type State } from '#server/drivers/tofu/index';
import type { PlannedChange } from '../../runner/contract/execution-spec.ts';
import { findUnmetChange } from './unmet-change.ts';

type Instance = { name: string; key?: string; deposed?: string };
const stateOf = (...instances: Instance[]): State =>
  readState(
    JSON.stringify({
      version: 4,
      lineage: 'l',
      serial: 1,
      resources: instances.map(({ name, key, deposed }) => ({
        mode: 'managed',
        type: 't',
        name,
        instances: [{ ...(key && { index_key: key }), ...(deposed && { deposed }), attributes: {} }],
      })),
    }),
  );
const change = (name: string, ...actions: PlannedChange['actions']): PlannedChange => ({
  address: `t.${name}`,
  mode: 'managed',
  actions,
});
const unmet = (changes: PlannedChange[], state: State, redact = (address: string) => address) =>
  findUnmetChange(changes, state, redact);

describe('findUnmetChange', () => {
  it.each<[string, PlannedChange, State]>([
    ['a create', change('a', 'create'), stateOf({ name: 'a' })],
    ['an update', change('a', 'update'), stateOf({ name: 'a' })],
    ['a replace', change('a', 'delete', 'create'), stateOf({ name: 'a' })],
    ['a replace that forgets the old object', change('a', 'forget', 'create'), stateOf({ name: 'a' })],
    ['an import or a move', { ...change('a', 'no-op'), previousAddress: 't.b' }, stateOf({ name: 'a' })],
    ['a destroy', change('a', 'delete'), stateOf({ name: 'b' })],
    ['a forget', change('a', 'forget'), stateOf()],
    ['a destroy of a deposed object', { ...change('a', 'delete'), deposed: 'd1' }, stateOf({ name: 'a' })],
    ['a read of a data source', { ...change('a', 'read'), address: 'data.t.a', mode: 'data' }, stateOf()],
  ])('returns undefined for %s that the state holds', (_, planned, state) => {
    expect(unmet([planned], state)).toBeUndefined();
  });

  it.each<[string, PlannedChange, State, string, string]>([
    ['a create', change('a', 'create'), stateOf(), 't.a', 'present'],
    [
      'a create of which only a deposed object is there',
      change('a', 'create'),
      stateOf({ name: 'a', deposed: 'd1' }),
      't.a',
      'present',
    ],
    ['an update', change('a', 'update'), stateOf({ name: 'b' }), 't.a', 'present'],
    ['a destroy', change('a', 'delete'), stateOf({ name: 'a' }), 't.a', 'absent'],
    ['a forget', change('a', 'forget'), stateOf({ name: 'a' }), 't.a', 'absent'],
    [
      'a destroy of a deposed object',
      { ...change('a', 'delete'), deposed: 'd1' },
      stateOf({ name: 'a' }, { name: 'a', deposed: 'd1' }),
      't.a',
      'absent',
    ],
    [
      'a move',
      { ...change('a', 'no-op'), previousAddress: 't.b' },
      stateOf({ name: 'a' }, { name: 'b' }),
      't.b',
      'absent',
    ],
  ])('returns %s that the state contradicts', (_, planned, state, address, expected) => {
    expect(unmet([planned], state)).toEqual({ address, expected });
  });

  it('allows a chain of moves, in which one address replaces another', () => {
    const chain = [
      { ...change('b', 'no-op'), previousAddress: 't.a' },
      { ...change('a', 'no-op'), previousAddress: 't.c' },
    ];
    expect(unmet(chain, stateOf({ name: 'a' }, { name: 'b' }))).toBeUndefined();
    expect(unmet(chain, stateOf({ name: 'a' }))).toEqual({ address: 't.b', expected: 'present' });
  });

  it('finds an address with a secret key by its redacted form, and derives no absence from one', () => {
    const redact = (address: string) => address.replace(/secret-\d/, '[redacted]');
    const state = stateOf({ name: 'a', key: 'secret-1' });
    expect(unmet([change('a["[redacted]"]', 'create')], state, redact)).toBeUndefined();
    expect(unmet([change('a["[redacted]"]', 'delete')], state, redact)).toBeUndefined();
    expect(unmet([change('a["[redacted]"]', 'create')], stateOf(), redact)).toMatchObject({ expected: 'present' });
  });
});
