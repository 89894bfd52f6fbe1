import { describe, expect, it } from 'vitest';
import { readState } from '#server/drivers/tofu/index';
import { differenceOf } from './difference.ts';

type Instance = { name: string; value: number; mode?: 'data' };

const stateOf = (...instances: Instance[]) =>
  readState(
    JSON.stringify({
      version: 4,
      lineage: 'a',
      serial: 1,
      resources: instances.map(({ name, value, mode = 'managed' }) => ({
        mode,
        type: 't',
        name,
        instances: [{ attributes: { value } }],
      })),
    }),
  );
const none = { total: 0, addresses: [] };

describe('differenceOf', () => {
  it('names what the restored state adds, removes and changes', () => {
    const current = stateOf({ name: 'same', value: 1 }, { name: 'moved', value: 1 }, { name: 'new', value: 1 });
    const restored = stateOf({ name: 'same', value: 1 }, { name: 'moved', value: 2 }, { name: 'old', value: 1 });
    expect(differenceOf(current, restored)).toEqual({
      added: { total: 1, addresses: ['t.old'] },
      removed: { total: 1, addresses: ['t.new'] },
      changed: { total: 1, addresses: ['t.moved'] },
    });
  });

  it('leaves out data sources', () => {
    const read = stateOf({ name: 'a', value: 1, mode: 'data' });
    expect(differenceOf(undefined, read)).toEqual({ added: none, removed: none, changed: none });
  });

  it('lists at most 50 addresses and counts all', () => {
    const many = stateOf(
      ...Array.from({ length: 120 }, (_, n) => ({ name: `r${String(n).padStart(3, '0')}`, value: n })),
    );
    const { added } = differenceOf(undefined, many);
    expect(added.total).toBe(120);
    expect(added.addresses).toHaveLength(50);
    expect(added.addresses.at(-1)).toBe('t.r049');
  });
});
