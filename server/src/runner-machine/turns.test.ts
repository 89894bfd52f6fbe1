import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('work begins when all earlier work has ended, also when that failed', async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  const { promise, reject } = Promise.withResolvers<void>();
  const first = inTurn(() => {
    order.push('first');
    return promise;
  });
  const second = inTurn(async () => {
    order.push('second');
    return 2;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual(['first']);
  reject(new Error('the stream is full'));
  await expect(first).rejects.toThrow('the stream is full');
  expect(await second).toBe(2);
  expect(order).toEqual(['first', 'second']);
});
