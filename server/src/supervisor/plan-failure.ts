import type { Diagnostic } from '#server/drivers/tofu/index';
import { allowancesOf } from '../os/allowances.ts';
import { failureOf, firstErrorMessage, type RunFailure } from './failure.ts';
import type { CommandEnd, Run } from './run.ts';

/** Returns the failure for an unsuccessful command of a plan. */
export const planFailure = (run: Run, end: CommandEnd, diagnostics: readonly Diagnostic[]): RunFailure =>
  failureOf(
    end,
    {
      errorCode: 'plan_failed',
      phase: 'plan',
      what: 'plan',
      seconds: run.job.limits.planSeconds,
      allowances: allowancesOf(run.job),
    },
    firstErrorMessage(run, diagnostics),
  );
