import { expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { runText } from './run-text.ts';

it('leaves the wait for the approval out of how long a plan took', () => {
  const run = {
    id: 'plan_1',
    workspaceId: 'ws_1',
    type: 'plan',
    status: 'waiting_approval',
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'acc_1',
    startedAt: '2026-01-01T00:00:01.000Z',
    phaseTimings: [
      {
        phase: 'plan',
        startedAt: '2026-01-01T00:00:01.000Z',
        finishedAt: '2026-01-01T00:00:05.000Z',
        durationMs: 4_000,
      },
    ],
  } as unknown as Run;
  const tookOf = (one: Run) => runText(one, (_tone, text) => text).find((line) => line.startsWith('took'));
  expect(tookOf(run)).toMatch(/ 4\.0 s$|4 s$/);
  const approved = { ...run, status: 'succeeded', finishedAt: '2026-01-01T08:00:00.000Z' } as Run;
  expect(tookOf(approved)).toBe(tookOf(run));
});
