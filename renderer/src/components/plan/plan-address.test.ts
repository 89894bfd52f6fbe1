import { describe, expect, it } from 'vitest';
import { addressOf, openIdsOf, readOpenRows } from './plan-address.ts';

const ids = ['plan a.b', 'plan a.b deadbeef', 'drift a.b', 'output url'];
const view = { q: '', kinds: new Set<never>(), open: new Set<string>() };

describe('the address of a list of changes', () => {
  it('is empty for the first view', () => {
    expect(addressOf(view, ids)).toEqual({});
  });

  it('names opened rows so that they are opened again', () => {
    for (const open of [['plan a.b'], ['drift a.b', 'output url'], ids]) {
      const address = addressOf({ ...view, open: new Set(open) }, ids);
      expect(openIdsOf(address.open, ids)).toEqual(open);
    }
    expect(addressOf({ ...view, open: new Set(['plan a.b']) }, ids).open).toBe('a.b');
  });

  it('stays short when many rows are open, and says when all are', () => {
    const many = Array.from({ length: 500 }, (_, index) => `plan a.b[${index}]`);
    expect(addressOf({ ...view, open: new Set(many) }, many).open).toBe('*');
    expect(openIdsOf('*', many)).toEqual(many);
    const some = addressOf({ ...view, open: new Set(many.slice(0, 30)) }, many).open;
    expect(some).toEqual(many.slice(20, 30).map((id) => id.slice(5)));
  });

  it('leaves out rows that the list does not have, and what is no name', () => {
    expect(openIdsOf(['a.b', 'gone.x'], ids)).toEqual(['plan a.b']);
    expect(readOpenRows(['', 1, 'x'.repeat(401), 'a.b'])).toBe('a.b');
    expect(readOpenRows(undefined)).toBeUndefined();
  });
});
