import { expect, test } from 'vitest';
import { createBeatOrder } from './beat-order.ts';

test('a beat counts as the newest once, until its machine or a later process of it has sent another message', () => {
  const beats = createBeatOrder();
  const note = (process: string, count: number, machineId = 'rnr_1') => beats.note(machineId, { process, count });
  expect([note('a', 1), note('a', 2), note('a', 2), note('a', 1)]).toEqual([true, true, false, false]);
  expect([note('b', 1), note('a', 3), note('b', 2)]).toEqual([true, false, true]);
  expect([note('c', 1), note('a', 4), note('b', 3)]).toEqual([true, false, false]);
  expect(note('a', 1, 'rnr_2')).toBe(true);
  expect(beats.note('rnr_1', undefined)).toBe(true);
});
