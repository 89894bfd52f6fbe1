import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutChange, cutValue } from './cut-value.ts';

describe('two long values that differ', () => {
  test('show the place where they first differ', () => {
    const [before, after] = cutChange(
      `${'x'.repeat(500)}old${'y'.repeat(500)}`,
      `${'x'.repeat(500)}new${'y'.repeat(500)}`,
    );
    expect(before).toBe(`…${'x'.repeat(20)}old${'y'.repeat(55)}…`);
    expect(after).toBe(`…${'x'.repeat(20)}new${'y'.repeat(55)}…`);
  });

  test('show it where one of them has only ended', () => {
    expect(cutChange('x'.repeat(500), `${'x'.repeat(500)}z`)).toEqual([`…${'x'.repeat(20)}`, `…${'x'.repeat(20)}z`]);
  });

  test('never look the same, and are never longer than 80 characters', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(text, text, text, text, (start, left, right, end) => {
        fc.pre(left !== right);
        const [before, after] = cutChange(start + left + end, start + right + end);
        expect(before).not.toBe(after);
        expect(Math.max(before.length, after.length)).toBeLessThanOrEqual(80);
        expect([before, after].every((one) => one.isWellFormed())).toBe((start + left + right + end).isWellFormed());
      }),
    );
  });

  test('are whole where they are short', () => {
    expect(cutChange('a', 'b')).toEqual(['a', 'b']);
  });
});

test('one long value shows its beginning', () => {
  expect(cutValue('x'.repeat(500))).toBe(`${'x'.repeat(79)}…`);
  expect(cutValue('x'.repeat(80))).toBe('x'.repeat(80));
});
