import { expect, test } from 'vitest';
import { heldClock } from '../../test/harness.ts';
import { AppError } from './errors.ts';
import { createRateLimit } from './rate-limit.ts';

const clock = heldClock();
const refusalOf = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof AppError ? [error.status, error.details?.retryAfterSeconds] : error;
  }
};

test('accepts a fixed number of calls a minute per key, and the error says how long to wait', () => {
  const limit = createRateLimit({ clock, perMinute: 2 });
  expect([refusalOf(() => limit.take('a')), refusalOf(() => limit.take('a'))]).toEqual([undefined, undefined]);
  clock.advance(45_500);
  expect(refusalOf(() => limit.take('a'))).toEqual([429, 15]);
  expect(refusalOf(() => limit.take('b'))).toBeUndefined();
  clock.advance(14_500);
  expect(refusalOf(() => limit.take('a'))).toBeUndefined();
});

test('a clock that is set back locks no caller out', () => {
  const limit = createRateLimit({ clock, perMinute: 1 });
  limit.take('a');
  clock.advance(-3_600_000);
  expect(refusalOf(() => limit.take('a'))).toBeUndefined();
});

test('keys whose minute is over use no memory, and a flood of keys little', () => {
  const limit = createRateLimit({ clock, perMinute: 1 });
  for (let key = 0; key < 50_000; key += 1) limit.take(`flood ${key}`);
  expect(limit.size()).toBe(10_000);
  expect(refusalOf(() => limit.take('flood 49999'))).toEqual([429, 60]);
  clock.advance(60_000);
  limit.take('later');
  expect(limit.size()).toBe(1);
});
