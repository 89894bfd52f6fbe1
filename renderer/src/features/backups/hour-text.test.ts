import { describe, expect, it } from 'vitest';
import { hourText } from './hour-text.ts';

describe('an hour of a schedule', () => {
  const now = new Date('2026-11-26T10:00:00Z');

  it('is shown on the clock of the person with UTC beside it', () => {
    expect(hourText(3, { now, timeZone: 'Asia/Tokyo' })).toBe('12:00 (03:00 UTC)');
    expect(hourText(20, { now, timeZone: 'America/New_York' })).toBe('15:00 (20:00 UTC)');
  });

  it('is shown once where both are the same', () => {
    expect(hourText(0, { now, timeZone: 'UTC' })).toBe('00:00 UTC');
  });
});
