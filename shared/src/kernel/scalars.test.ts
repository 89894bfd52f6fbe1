import { describe, expect, it } from 'vitest';
import { Timestamp } from './scalars.ts';

describe('Timestamp', () => {
  it.each([
    '2026-01-31T23:59:59.999Z',
    '2028-02-29T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ])('accepts %s', (text) => expect(Timestamp.safeParse(text).success).toBe(true));

  it.each([
    '2026-13-45T99:99:99.000Z',
    '2027-02-30T00:00:00.000Z',
    '2027-02-29T00:00:00.000Z',
    '2026-00-10T00:00:00.000Z',
    '2026-01-00T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-12-31T23:59:60.000Z',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.000+00:00',
    '2026-01-01',
    '',
  ])('refuses %s', (text) => expect(Timestamp.safeParse(text).success).toBe(false));
});
