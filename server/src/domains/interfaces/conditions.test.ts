import { describe, expect, it } from 'vitest';
import type { Condition } from '#shared/interfaces/contract';
import { mergeConditions } from './conditions.ts';

const at = (minute: number): number => Date.UTC(2030, 0, 1, 0, minute);
const reachable: Condition = {
  type: 'Reachable',
  status: 'true',
  observedGeneration: 1,
  lastTransitionAt: '2030-01-01T00:01:00.000Z',
};
const row = { conditions: [reachable], generation: 2 };

describe('conditions of an Interface', () => {
  it('are merged by type', () => {
    const merged = mergeConditions(row, [{ type: 'Healthy', status: 'false', reason: 'Down' }], at(2));
    expect(merged).toEqual([
      reachable,
      {
        type: 'Healthy',
        status: 'false',
        reason: 'Down',
        observedGeneration: 2,
        lastTransitionAt: '2030-01-01T00:02:00.000Z',
      },
    ]);
  });

  it('keep the time of their transition while the status stays', () => {
    const [same] = mergeConditions(row, [{ type: 'Reachable', status: 'true', message: 'Fine.' }], at(2));
    expect(same).toMatchObject({ message: 'Fine.', lastTransitionAt: reachable.lastTransitionAt });
    const [other] = mergeConditions(row, [{ type: 'Reachable', status: 'unknown' }], at(2));
    expect(other?.lastTransitionAt).toBe('2030-01-01T00:02:00.000Z');
  });

  it('lose a reason and a message that are not reported again', () => {
    const before = { conditions: [{ ...reachable, reason: 'Up', message: 'Fine.' }], generation: 1 };
    const [merged] = mergeConditions(before, [{ type: 'Reachable', status: 'true' }], at(2));
    expect(merged).toEqual(reachable);
  });

  it('are at most 16', () => {
    const reported = Array.from({ length: 15 }, (_, index) => ({ type: `C${index}`, status: 'true' as const }));
    const full = mergeConditions(row, reported, at(2));
    expect(full).toHaveLength(16);
    const again = () => mergeConditions({ conditions: full, generation: 2 }, [{ type: 'C0', status: 'false' }], at(3));
    expect(again()).toHaveLength(16);
    const more = () => mergeConditions({ conditions: full, generation: 2 }, [{ type: 'New', status: 'true' }], at(3));
    expect(more).toThrow('at most 16 conditions');
  });
});
