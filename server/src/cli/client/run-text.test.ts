import { expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { runsText, runText } from './run-text.ts';

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
  const tookOf = (one: Run) => runText(one, undefined, (_tone, text) => text).find((line) => line.startsWith('took'));
  expect(tookOf(run)).toMatch(/ 4\.0 s$|4 s$/);
  const approved = { ...run, status: 'succeeded', finishedAt: '2026-01-01T08:00:00.000Z' } as Run;
  expect(tookOf(approved)).toBe(tookOf(run));
});

it('names the subject of a commit in one line, as what the commit says', () => {
  const run = {
    id: 'plan_1',
    type: 'plan',
    status: 'succeeded',
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'acc_1',
    resolvedCommit: 'a'.repeat(40),
    sourceSnapshotId: 'snap_1',
  } as unknown as Run;
  const plain = (_tone: unknown, text: string) => text;
  const long = `Raise the limit\u001b[2J ${'x'.repeat(100)}`;
  const row = runText(run, long, plain).find((line) => line.startsWith('subject'));
  expect(row).toMatch(/^subject {5}Raise the limit\\u\{1b\}\[2J x+… \(as the commit says\)$/);
  expect(runText(run, '', plain).some((line) => line.startsWith('subject'))).toBe(false);
  const [, listed] = runsText([run], new Map([['snap_1', long]]), plain);
  expect(listed).toContain('aaaaaaaaaaaa Raise the limit');
  expect(listed).not.toContain('\u001b');
});
