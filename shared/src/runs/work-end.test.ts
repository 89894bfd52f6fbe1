import { expect, it } from 'vitest';
import { workEndOf } from './work-end.ts';

const startedAt = '2026-01-01T00:00:00.000Z';
const finishedAt = '2026-01-01T08:00:00.000Z';

it('ends the duration of a plan with its last phase, not with its approval', () => {
  const phaseTimings = [
    { phase: 'plan', startedAt, finishedAt: '2026-01-01T00:00:04.000Z' },
    { phase: 'policy', startedAt, finishedAt: '2026-01-01T00:00:05.000Z' },
  ];
  expect(workEndOf({ type: 'plan', finishedAt, phaseTimings })).toBe(Date.parse('2026-01-01T00:00:05.000Z'));
  expect(workEndOf({ type: 'plan', phaseTimings })).toBe(Date.parse('2026-01-01T00:00:05.000Z'));
  expect(workEndOf({ type: 'apply', finishedAt, phaseTimings })).toBe(Date.parse(finishedAt));
});

it('ends the duration of a plan that failed with the Run, because the phase it failed in has no end', () => {
  const phaseTimings = [
    { phase: 'init', startedAt, finishedAt: '2026-01-01T00:00:04.000Z' },
    { phase: 'plan', startedAt },
  ];
  expect(workEndOf({ type: 'plan', finishedAt, phaseTimings })).toBe(Date.parse(finishedAt));
  expect(workEndOf({ type: 'plan', phaseTimings })).toBeUndefined();
});
