import type { Phase } from '../runner/contract/execution-spec.ts';
import { type Permission, readPermission, requestPermission } from '../runner/contract/permission.ts';
import { watchPath } from '../runner/contract/watch-path.ts';
import type { SupervisedRun } from './run.ts';
import { RunFailure } from './run-failure.ts';

/** Maximum milliseconds for an answer: a server that is away for longer may have given the Run to another machine. */
const answerMs = 600_000;

/**
 * Resolves when what changes resources may start; at once for a Run of the server's own machine, which was allowed with its
 * hand-over. Throws `cancelled` or `run_timed_out` when it may not; then nothing was started.
 */
export async function awaitPermission({ spec, cancel }: SupervisedRun, phase: Phase): Promise<void> {
  if (spec.asksPermission !== true) return;
  const { runDir } = spec;
  requestPermission(runDir);
  const answer = readPermission(runDir) ?? (await waitForAnswer(runDir, cancel));
  if (answer === 'granted') return;
  if (answer === 'refused')
    throw new RunFailure('cancelled', phase, 'The server has ended this Run or given it to another machine.');
  if (answer === 'cancelled')
    throw new RunFailure('cancelled', phase, 'The Run was cancelled before anything was changed.');
  throw new RunFailure(
    'run_timed_out',
    phase,
    'The server did not answer for ten minutes whether changes may start, so nothing was changed. Plan again.',
  );
}

/** Resolves to the answer, or to the reason why it is not awaited any more. */
async function waitForAnswer(
  runDir: string,
  cancel: SupervisedRun['cancel'],
): Promise<Permission | 'cancelled' | 'late'> {
  const { promise, resolve } = Promise.withResolvers<Permission | 'cancelled' | 'late'>();
  const check = (): void => {
    const answer = readPermission(runDir);
    if (answer !== undefined) resolve(answer);
  };
  const stopWatching = watchPath({ target: runDir, onChange: check });
  const unsubscribe = cancel.onRequest(() => resolve('cancelled'));
  const timer = setTimeout(() => resolve('late'), answerMs);
  check();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
    stopWatching();
  }
}
