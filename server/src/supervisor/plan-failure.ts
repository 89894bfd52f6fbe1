import type { Diagnostic } from '#server/drivers/tofu/index';
import { allowancesOf } from '../os/allowances.ts';
import { failureOf, firstErrorMessage, type RunFailure } from './failure.ts';
import type { CommandEnd, SupervisedRun } from './run.ts';

/** Returns the failure for an unsuccessful command of a plan. */
export const planFailure = (run: SupervisedRun, end: CommandEnd, diagnostics: readonly Diagnostic[]): RunFailure =>
  failureOf(
    end,
    {
      errorCode: 'plan_failed',
      phase: 'plan',
      what: 'plan',
      seconds: run.spec.limits.planSeconds,
      allowances: allowancesOf(run.spec),
    },
    firstErrorMessage(run, diagnostics),
  );
