import { expect, test, vi } from 'vitest';
import { createQuestionLimit } from './question.ts';

test('a second question is answered with no while the first is open', async () => {
  const limit = createQuestionLimit(() => 0);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const second = vi.fn(async () => true);
  const first = limit(() => promise);
  expect(await limit(second)).toBe(false);
  resolve(true);
  expect(await first).toBe(true);
  expect(second).not.toHaveBeenCalled();
  expect(await limit(second)).toBe(true);
});

test('after a refusal the page asks nothing for ten seconds', async () => {
  let at = 0;
  const limit = createQuestionLimit(() => at);
  const question = vi.fn(async () => true);
  expect(await limit(async () => false)).toBe(false);
  at = 9_999;
  expect(await limit(question)).toBe(false);
  at = 10_000;
  expect(await limit(question)).toBe(true);
  expect(question).toHaveBeenCalledOnce();
});

test('a dialog that fails does not block later ones', async () => {
  const limit = createQuestionLimit(() => 0);
  await expect(limit(() => Promise.reject(new Error('no display')))).rejects.toThrow('no display');
  expect(await limit(async () => true)).toBe(true);
});
