import { type Diagnostic, TofuError } from '#server/drivers/tofu/index';
import { isDiskFault } from '#server/kernel/disk';
import { exceededMessage } from '../os/allowances.ts';
import type { Allowances, FailedOutcome, Phase } from '../runner/contract/execution-spec.ts';
import type { CommandEnd, SupervisedRun } from './run.ts';
import { RunFailure } from './run-failure.ts';

export { RunFailure };

/** Returns the outcome for an error of a step. The message of an unexpected error is not repeated. */
export function outcomeOf(error: unknown, phase: Phase): FailedOutcome {
  if (error instanceof RunFailure) {
    return { kind: 'failed', errorCode: error.errorCode, message: error.message, phase: error.phase };
  }
  const errorCode = phase === 'init' ? 'init_failed' : 'plan_failed';
  if (error instanceof TofuError) return { kind: 'failed', errorCode, message: error.message, phase };
  const { code } = error as NodeJS.ErrnoException;
  if (isDiskFault(error)) {
    return {
      kind: 'failed',
      errorCode: 'disk_full',
      message: 'The disk is full or cannot be written. Free some space in the data folder and plan again.',
      phase,
    };
  }
  const what = error instanceof Error ? error.name : 'unknown error';
  return {
    kind: 'failed',
    errorCode,
    message: `The supervisor failed (${code ?? what}). Its log is in the folder of the Run.`,
    phase,
  };
}

type StepNames = {
  errorCode: 'init_failed' | 'source_build_failed' | 'plan_failed';
  phase: Phase;
  what: string;
  /** Time limit of the step in seconds. */
  seconds: number;
  allowances: Allowances;
};

const timeoutMessage = ({ what, seconds }: StepNames): string =>
  `The ${what} took longer than the ${seconds.toLocaleString('en-US')} seconds it may take and was ended. Split the module, or look for a provider or program that does not answer.`;

/** Returns the failure for an unsuccessful command of a Run that has changed nothing yet. */
export function failureOf(end: CommandEnd, names: StepNames, firstError: string | undefined): RunFailure {
  if (end.interrupted) return new RunFailure('cancelled', names.phase, 'The Run was cancelled.');
  const [exceeded] = end.exceeded;
  if (exceeded !== undefined) {
    const errorCode = exceeded === 'reserve' ? 'disk_full' : names.errorCode;
    return new RunFailure(
      errorCode,
      names.phase,
      exceededMessage(exceeded, { what: names.what, allowances: names.allowances }),
    );
  }
  if (end.timedOut) return new RunFailure('run_timed_out', names.phase, timeoutMessage(names));
  // Go's texts for ENOSPC and EDQUOT, the only sign of these errors in the tool's output.
  if (/no space left on device|disk quota exceeded/i.test(firstError ?? '')) {
    const message = `The ${names.what} ran out of disk space. Free some space in the data folder and plan again.`;
    return new RunFailure('disk_full', names.phase, message);
  }
  const reason = firstError === undefined ? `It ended with exit code ${end.exitCode}.` : firstError;
  return new RunFailure(names.errorCode, names.phase, `The ${names.what} failed. ${reason}`);
}

/** Returns the first error as a message that may be persisted. */
export function firstErrorMessage(run: SupervisedRun, diagnostics: readonly Diagnostic[]): string | undefined {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  return first === undefined ? undefined : run.redactor.text(first.message);
}
