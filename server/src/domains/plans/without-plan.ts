import type { RunRecord } from '#server/domains/runs/index';
import { failedPrecondition } from '#server/kernel/errors';
import { isTerminal } from '#shared/kernel/machine';
import { runMachine } from '#shared/runs/machine';
import { apiPrefix } from '#shared/vendor';

/** Returns the refusal for a plan that is not computed yet, or a Run that ended without one and has the reason in its diagnostics. */
export function withoutPlan({ id, status }: RunRecord) {
  if (!isTerminal(runMachine, status))
    return failedPrecondition(
      'plan_not_ready',
      'The plan is not computed yet. Try again when the Run has finished planning.',
    );
  if (status === 'succeeded')
    return failedPrecondition(
      'plan_deleted',
      'The plan of this scheduled check was deleted because newer checks followed. Its Run still names the result.',
    );
  const logs = `${apiPrefix}/runs/${id}/logs`;
  const message = `This Run ended without a plan. Read its diagnostics at ${logs}.`;
  return failedPrecondition('plan_not_available', message, { diagnostics: logs });
}
