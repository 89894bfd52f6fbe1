import { isoTime } from '#server/kernel/clock';
import type { PhaseTiming } from '#shared/runs/contract';
import type { RunsService } from './service.ts';

/** Phases of a Run with their times, from its feed; a reused phase has a duration of zero. */
export function phaseTimingsOf(runs: RunsService, runId: string): PhaseTiming[] {
  const timings = new Map<string, { startedAt: number; finishedAt?: number }>();
  for (const { at, payload } of runs.feed.listKind(runId, 'phase', { after: 0, limit: 1_000 })) {
    const phase = String(payload['phase']);
    if (payload['state'] === 'started') timings.set(phase, { startedAt: at });
    else timings.set(phase, { startedAt: timings.get(phase)?.startedAt ?? at, finishedAt: at });
  }
  return [...timings].map(([phase, { startedAt, finishedAt }]) => ({
    phase,
    startedAt: isoTime(startedAt),
    ...(finishedAt !== undefined && {
      finishedAt: isoTime(finishedAt),
      durationMs: Math.max(0, finishedAt - startedAt),
    }),
  }));
}
