import { useEffect, useState } from 'react';
import type { RunStatus } from '#shared/runs/contract';
import { openLive } from './live.ts';

/** Progress of a Run while its end is awaited: its last line and its last error. */
export type RunProgress = {
  status: RunStatus;
  lastLine?: string;
  /** The message of the last error that the Run reported. */
  problem?: string;
  isOver: boolean;
};

const start: RunProgress = { status: 'queued', isOver: false };
const events = ['status', 'log', 'diagnostic', 'end'];

function take(before: RunProgress, name: string, data: unknown): RunProgress {
  if (name === 'log') return { ...before, lastLine: (data as { text: string }).text };
  if (name === 'diagnostic') {
    const { severity, message } = data as { severity: string; message: string };
    return severity === 'error' ? { ...before, problem: message } : before;
  }
  const { status } = data as { status: RunStatus };
  return { ...before, status, isOver: name === 'end' || before.isOver };
}

/** Follows a Run from its first event to its end. Returns a function that stops following. */
export function followRun(runId: string, onProgress: (progress: RunProgress) => void): () => void {
  let progress = start;
  return openLive({
    url: `/api/v1/runs/${runId}/events?kinds=${events.join()},hb`,
    events,
    onEvent: (name, data) => {
      progress = take(progress, name, data);
      onProgress(progress);
    },
    isEnd: (name) => name === 'end',
  });
}

/** The progress of a Run while the page shows it; undefined without one. */
export function useRunProgress(runId: string | undefined): RunProgress | undefined {
  const [latest, setLatest] = useState<{ runId: string; progress: RunProgress }>();
  useEffect(() => {
    if (runId === undefined) return;
    return followRun(runId, (progress) => setLatest({ runId, progress }));
  }, [runId]);
  if (runId === undefined) return undefined;
  return latest?.runId === runId ? latest.progress : start;
}
