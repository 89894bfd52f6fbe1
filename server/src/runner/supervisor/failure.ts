import { type Diagnostic, TofuError } from '#server/tofu/index';
import type { FailedOutcome, Phase } from '../job.ts';
import type { CommandEnd, Run } from './command.ts';

/** Ends a Run before a plan exists or before an apply was dispatched. */
export class RunFailure extends Error {
  readonly errorCode: FailedOutcome['errorCode'];
  readonly phase: Phase;

  constructor(errorCode: FailedOutcome['errorCode'], phase: Phase, message: string) {
    super(message);
    this.name = 'RunFailure';
    this.errorCode = errorCode;
    this.phase = phase;
  }
}

/** The outcome an error of a step stands for; the sentence of an error we did not foresee is not repeated. */
export function outcomeOf(error: unknown, phase: Phase): FailedOutcome {
  if (error instanceof RunFailure) {
    return { kind: 'failed', errorCode: error.errorCode, message: error.message, phase: error.phase };
  }
  const errorCode = phase === 'init' ? 'init_failed' : 'plan_failed';
  if (error instanceof TofuError) return { kind: 'failed', errorCode, message: error.message, phase };
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return {
      kind: 'failed',
      errorCode: 'disk_full',
      message: 'The disk is full. Make room in the data folder and plan again.',
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

export type StepNames = { errorCode: 'init_failed' | 'plan_failed'; phase: Phase; what: string };

/** What a command that did not succeed means for a Run that has changed nothing yet. */
export function failureOf(end: CommandEnd, names: StepNames, firstError: string | undefined): RunFailure {
  if (end.interrupted) return new RunFailure('cancelled', names.phase, 'The Run was cancelled.');
  if (end.timedOut)
    return new RunFailure('run_timed_out', names.phase, `The ${names.what} took longer than the Run may take.`);
  const reason = firstError === undefined ? `It ended with exit code ${end.exitCode}.` : firstError;
  return new RunFailure(names.errorCode, names.phase, `The ${names.what} failed. ${reason}`);
}

/** The first error as a sentence that may be kept. */
export function firstSentence(run: Run, diagnostics: readonly Diagnostic[]): string | undefined {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  return first === undefined ? undefined : run.redactor.text(first.message);
}
