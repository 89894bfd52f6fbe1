import { expect, test } from 'vitest';
import { toLogLines } from './log-line.ts';

test('colors stay, other control characters become escapes', () => {
  expect(toLogLines('\x1b[1;31mred\x1b[0m \x1b]0;title\x07 \x00\x7f\ttab')).toEqual([
    '\x1b[1;31mred\x1b[0m \\x1b]0;title\\x07 \\x00\\x7f\ttab',
  ]);
});

test('each line is an entry, whatever its ending', () => {
  expect(toLogLines('a\r\nb\nc\n')).toEqual(['a', 'b', 'c']);
});

test('a line has at most 16 KiB and a mark when it was cut, never inside a character', () => {
  const [line = ''] = toLogLines('é'.repeat(20_000));
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(16_384);
  expect(line.endsWith('é [cut]')).toBe(true);
  expect(toLogLines('x'.repeat(16_384))).toEqual(['x'.repeat(16_384)]);
});
