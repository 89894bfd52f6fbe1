import { expect, test } from 'vitest';
import { createStall } from './stall.ts';

const beats = (stall: ReturnType<typeof createStall>, count: number, isFetching?: boolean): boolean[] =>
  Array.from({ length: count }, () => stall.isStuck(5, 9, isFetching));

test('a server that lacks sent bytes for three beats is stuck, and again after three more', () => {
  const stall = createStall();
  expect(stall.isStuck(5, 9)).toBe(false);
  expect(beats(stall, 6)).toEqual([false, false, true, false, false, true]);
});

test('a server that has everything or moves is not stuck', () => {
  const stall = createStall();
  for (let arrived = 0; arrived <= 9; arrived += 1) expect(stall.isStuck(arrived, 9)).toBe(false);
  expect([stall.isStuck(9, 9), stall.isStuck(9, 9), stall.isStuck(9, 9), stall.isStuck(9, 9)]).not.toContain(true);
});

test('a server that fetches a large file is not stuck, however long that takes', () => {
  const stall = createStall();
  beats(stall, 3);
  expect(beats(stall, 20, true)).not.toContain(true);
  expect(beats(stall, 3)).toEqual([false, false, true]);
});
