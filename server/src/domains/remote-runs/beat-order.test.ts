import { expect, test } from 'vitest';
import { createBeatOrder } from './beat-order.ts';

test('a beat counts as the newest once, until its machine or a later process of it has sent another message', () => {
  const beats = createBeatOrder();
  const note = (since: number, count: number, machineId = 'rnr_1') => beats.note(machineId, { since, count });
  expect([note(5, 1), note(5, 2), note(5, 2), note(5, 1)]).toEqual([true, true, false, false]);
  expect([note(9, 1), note(5, 3), note(9, 2)]).toEqual([true, false, true]);
  expect(note(5, 1, 'rnr_2')).toBe(true);
});
