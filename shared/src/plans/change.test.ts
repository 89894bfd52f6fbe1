import { describe, expect, it } from 'vitest';
import {
  type Change,
  changeKinds,
  compareKinds,
  isChanging,
  isDestructive,
  isNoOp,
  isObjectAction,
  isRemoval,
  kindOf,
  planActions,
  reportedActions,
  signOf,
} from './change.ts';

const moved = { previousAddress: 'a.old' };

describe('the kind and the sign of a change', () => {
  it.each<[Change, string, string]>([
    [{ actions: ['delete'] }, 'delete', '-'],
    [{ actions: ['delete', 'create'] }, 'replace', '-/+'],
    [{ actions: ['create', 'delete'] }, 'replace', '+/-'],
    [{ actions: ['forget', 'create'] }, 'replace', './+'],
    [{ actions: ['create', 'forget'] }, 'replace', '+/.'],
    [{ actions: ['forget'] }, 'forget', '.'],
    [{ actions: ['create'] }, 'create', '+'],
    [{ actions: ['update'] }, 'update', '~'],
    [{ actions: ['update'], ...moved }, 'update', '~'],
    [{ actions: ['read'] }, 'read', '<='],
    [{ actions: ['no-op'], ...moved }, 'move', ''],
    [{ actions: ['no-op'] }, 'import', ''],
  ])('of %j are %s and "%s"', (change, kind, sign) => {
    expect([kindOf(change), signOf(change)]).toEqual([kind, sign]);
  });

  it('of a replace use the symbols of the screen in the same order', () => {
    const symbols = Object.fromEntries(changeKinds.map((kind) => [kind, kind.toUpperCase()])) as never;
    expect(signOf({ actions: ['create', 'delete'] }, symbols)).toBe('CREATE/DELETE');
    expect(signOf({ actions: ['read'] }, symbols)).toBe('READ');
  });
});

it('kinds are listed with destroys, replaces and forgets first, which are the destructive ones', () => {
  expect(changeKinds.toReversed().sort(compareKinds).slice(0, 3)).toEqual(['delete', 'replace', 'forget']);
  expect(changeKinds.filter(isDestructive)).toEqual(['delete', 'replace', 'forget']);
  expect(compareKinds('create', 'import')).toBe(0);
});

it('a removal leaves no object at the address', () => {
  const isRemoving = (...actions: Change['actions']) => isRemoval({ actions });
  expect([isRemoving('delete'), isRemoving('forget')]).toEqual([true, true]);
  expect([isRemoving('forget', 'create'), isRemoving('delete', 'create'), isRemoving('no-op')]).toEqual([
    ...[false, false, false],
  ]);
});

it('reads and no-ops change nothing, and an import changes only the state', () => {
  expect(planActions.filter((action) => isNoOp({ actions: [action] }))).toEqual(['no-op']);
  expect(reportedActions.filter(isChanging)).toEqual(['create', 'update', 'delete', 'import']);
  expect(reportedActions.filter(isObjectAction)).toEqual(['create', 'update', 'delete']);
});
