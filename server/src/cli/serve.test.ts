import { afterEach, expect, it, vi } from 'vitest';
import { closeAfter } from './serve.ts';

afterEach(() => void vi.restoreAllMocks());

const never = new Promise<never>(() => {});

it.each([
  ['0 when it was stopped', Promise.resolve(undefined), never, 0],
  [
    '3 when another server was promoted, so that its service does not start it again',
    never,
    Promise.resolve('Ended.'),
    3,
  ],
])('closes a server, and returns exit code %s', async (_, stopped, superseded, code) => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const close = vi.fn(async () => {});
  expect(await closeAfter(stopped, { superseded, close })).toBe(code);
  expect([close.mock.calls.length, printed.mock.calls]).toEqual([1, code === 0 ? [] : [['Ended.\n']]]);
});
