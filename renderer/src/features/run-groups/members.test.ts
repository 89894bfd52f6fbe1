import { describe, expect, it } from 'vitest';
import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { countStates, layersOf, memberStateOf } from './members.ts';

const run = (id: string, capsuleId: string, more: Partial<RunRow> = {}) =>
  ({ id, capsuleId, type: 'plan', status: 'succeeded', ...more }) as RunRow;

describe('the members of a group', () => {
  it.each([
    ['queued', undefined, 'work'],
    ['running', undefined, 'work'],
    ['waiting_approval', 'approve', 'decide'],
    ['succeeded', 'apply', 'decide'],
    ['succeeded', undefined, 'done'],
    ['failed', undefined, 'failed'],
    ['cancelled', undefined, 'failed'],
    ['expired', undefined, 'failed'],
  ] as const)('with status %s that awaits %s is in state %s', (status, awaits, state) => {
    expect(memberStateOf({ status, ...(awaits && { awaits }) })).toBe(state);
  });

  it('are the newest Run of each Capsule, layer by layer', () => {
    const group = { graphJson: JSON.stringify({ order: [['a'], ['b', 'c']], runs: {} }) } as RunGroup;
    const runs = [
      run('1', 'a'),
      run('2', 'a', { status: 'failed' }),
      run('3', 'b'),
      run('4', 'b', { awaits: 'apply' }),
    ];
    const layers = layersOf(group, runs);
    expect(layers.map((layer) => layer.map(({ id }) => id))).toEqual([['2'], ['4']]);
    expect(countStates(layers.flat())).toEqual({ decide: 1, work: 0, failed: 1, done: 0 });
  });
});
