import { expect, test } from 'vitest';
import type { PlanAction } from '#shared/plans/change';
import type { ResourceView } from '../../../api/run-feed.ts';
import { endangered } from '../review/endangered.ts';
import { progressOf, resourceRows } from './resource-rows.ts';

const view = (address: string, action: string, state: ResourceView['state']): ResourceView => ({
  address,
  action,
  state,
  startedAt: 1,
});
const ref = (address: string, ...actions: PlanAction[]) => ({ address, type: 't', actions });

const views = [view('a', 'create', 'completed'), view('b', 'delete', 'started'), view('d', 'read', 'completed')];
const planned = [ref('a', 'create'), ref('b', 'delete', 'create'), ref('c', 'update'), ref('e', 'no-op')];

test('resources of the plan that the tool has not started are waiting, or unreached after the end', () => {
  const states = (isOver: boolean) =>
    resourceRows(views, { planned, isOver }).map(({ key, state }) => `${key}: ${state}`);
  expect(states(false)).toEqual([
    'delete b: running',
    'create b: waiting',
    'update c: waiting',
    'create a: done',
    'read d: done',
  ]);
  expect(states(true)).toEqual([
    'delete b: stopped',
    'create b: unreached',
    'update c: unreached',
    'create a: done',
    'read d: done',
  ]);
});

test('progress counts changes, not what is read', () => {
  expect(progressOf(views, { add: 2, change: 1, destroy: 1 })).toEqual({ done: 1, failed: 0, running: 1, total: 4 });
  expect(progressOf(views, undefined).total).toBe(2);
});

test('a replace that forgets the old object destroys nothing', () => {
  expect(endangered({ planResources: [ref('a', 'forget', 'create')] })).toEqual({
    ...{ destroyed: [], replaced: [], forgotten: ['a'] },
    count: 1,
  });
});

test('a plan endangers what it destroys, replaces and forgets, also beyond the addresses that it carries', () => {
  const planResources = [ref('a', 'delete'), ref('b', 'create', 'delete'), ref('c', 'forget'), ref('d', 'update')];
  expect(endangered({ planResources, summary: { add: 1, change: 1, destroy: 7, forget: 1 } })).toEqual({
    destroyed: ['a'],
    replaced: ['b'],
    forgotten: ['c'],
    count: 8,
  });
  expect(endangered({ planResources: [ref('d', 'update')] }).count).toBe(0);
});
