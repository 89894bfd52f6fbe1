import { ApiError } from '#shared/kernel/client';
import { isApplyType, localPool, type Run } from '#shared/runs/contract';
import { CommandError, exitCodes, failed } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { decideRestore } from './restore-decision.ts';
import { applyReviewed, approveReviewed, type Planned, requireAutoApprove } from './review.ts';
import { oneLine } from './text.ts';

/** Shows what a Run would do and approves exactly that. A restore then begins, and a plan waits for its apply. */
export const runRunsApprove = atServer({ whenUnread: 'goesOn' }, async (work) => {
  requireAutoApprove(work.options);
  const run = await readRun(work);
  if (run.status !== 'waiting_approval') throw waitsForNothing(run, 'an approval');
  return run.type === 'restore' ? decideRestore(work, run) : approveReviewed(work, plannedOf(run), run);
});

/** Shows a plan, approves it if it waits for that, applies exactly that plan, and shows the result. */
export const runRunsApply = atServer({ whenUnread: 'goesOn' }, async (work) => {
  requireAutoApprove(work.options);
  const run = await readRun(work);
  if (run.type === 'restore' && run.status === 'waiting_approval')
    throw failed('failed_precondition', `A restore has no plan. Approve it with: groundctl runs approve ${run.id}`);
  // The first plan of a module may change nothing and still be applied.
  if (run.awaits === undefined && run.hasChanges !== false) throw waitsForNothing(run, 'its apply');
  return applyReviewed(work, plannedOf(run));
});

/** Cancels a Run that waits, or ends one that runs; an apply only with `--interrupt`. */
export const runRunsCancel = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options, args }) => {
  const [runId = ''] = args;
  const body = options.interrupt ? { interrupt: true } : {};
  const { run } = (await server.api.cancelRun({ params: { runId }, body }).catch(explainApply)).body;
  if (terminal.isJson) terminal.document({ run });
  else if (run.status === 'cancelled') terminal.say(`${run.id} is cancelled.`);
  else {
    terminal.say(`${run.id} ends as soon as its tool has stopped. Follow it with: groundctl logs -f ${run.id}`);
    if (isApplyType(run.type) && run.runnerPoolId !== localPool)
      terminal.say(
        'If its machine is gone, repeat this command as soon as the Run says that its machine does not report: it ends with the last state that arrived.',
      );
  }
  return exitCodes.done;
});

/** The answer of the server names a field of its API. */
function explainApply(error: unknown): never {
  const reason = error instanceof ApiError ? error.details['reason'] : undefined;
  if (reason !== 'apply_in_progress') throw error;
  throw new CommandError(
    'An apply is running. Add --interrupt to end it gracefully; the state it has reached is kept.',
    { exitCode: exitCodes.failed, code: reason },
  );
}

const readRun = async ({ server, args: [runId = ''] }: Work): Promise<Run> =>
  (await server.api.getRun({ params: { runId } })).body.run;

function plannedOf({ id, capsuleId, resolvedCommit }: Run): Planned {
  if (capsuleId === undefined || resolvedCommit === undefined) throw new Error('A plan has a Capsule and a commit.');
  return { planRunId: id, capsuleId, commit: resolvedCommit };
}

const waitsForNothing = (run: Run, what: string): CommandError =>
  failed(
    'failed_precondition',
    `${oneLine(run.id)} does not wait for ${what}. See it with: groundctl runs show ${oneLine(run.id)}`,
  );
