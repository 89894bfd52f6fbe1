import { describe, expect, it } from 'vitest';
import { createLoginMarks } from './login-marks.ts';

const start = Date.parse('2030-01-01T00:00:00.000Z');
const minute = 60_000;
let now = start;
const { createLoginMark, isAfterMark } = createLoginMarks({ now: () => now }, 'a key');
const request = '/oauth/authorize?client_id=notes&prompt=login&state=1';
const signedIn = (signedInAt: number) => ({ accountId: 'sub_ada', sessionId: 'ses_1', signedInAt });

describe('a mark of a forced sign-in', () => {
  it('is fulfilled by a sign-in after it, for ten minutes', () => {
    now = start;
    const mark = createLoginMark(request);
    expect(isAfterMark(mark, request, signedIn(start))).toBe(false);
    expect(isAfterMark(mark, request, signedIn(start + 1))).toBe(true);
    now = start + 10 * minute;
    expect(isAfterMark(mark, request, signedIn(start + 1))).toBe(true);
    now += 1;
    expect(isAfterMark(mark, request, signedIn(start + 1))).toBe(false);
  });

  it('belongs to its request, and cannot be made by a browser', () => {
    now = start;
    const mark = createLoginMark(request);
    const [, mac = ''] = mark.split('.');
    const after = signedIn(start + minute);
    expect(isAfterMark(mark, request.replace('notes', 'wiki'), after)).toBe(false);
    expect(isAfterMark(`${start - minute}.${mac}`, request, after)).toBe(false);
    for (const text of ['', '.', `${start}`, `${start}.`, `${start}.${mac}0`])
      expect(isAfterMark(text, request, after)).toBe(false);
  });
});
