import { ArchiveError, extractArchive } from '#server/drivers/archive/index';
import { isDiskFault } from '#server/kernel/disk';
import { commandText } from '#shared/install-configs/build-text';
import { allowancesOf, exceededMessage } from '../os/allowances.ts';
import type { ActionOutcome, ActionSpec } from '../runner/contract/execution-spec.ts';
import { findBrokenStep, makeScratch, removeScratchLater, type Scratch } from './build/scratch.ts';
import { runCommand } from './command/command.ts';
import { type CommandEnd, hasSucceeded, type SupervisedRun } from './run.ts';
import { RunFailure } from './run-failure.ts';

/**
 * Runs one lifecycle action once, in a fresh copy of the snapshot with the files that were built for the plan. Only its
 * exit code decides. A failure is an outcome, not an error.
 */
export async function runAction(run: SupervisedRun): Promise<ActionOutcome> {
  const { action } = run.spec;
  if (action === undefined) throw new Error('The spec of an action has no action.');
  if (run.cancel.isRequested) return failed('The Run was interrupted before the action was started.');
  try {
    const scratch = prepare(run, action);
    const { workingDirectory } = action;
    const broken = findBrokenStep(scratch.tree, workingDirectory);
    if (broken !== undefined) return failed(`The action has no working folder: "${broken}" is not a folder.`);
    run.report.say(
      'lifecycle',
      'info',
      `Action ${action.id}: ${commandText({ argv: action.command, workingDirectory })}`,
    );
    const end = await runCommand(run, requestOf(run, action, scratch), { limitSeconds: action.seconds });
    return outcomeOf(run, action, end);
  } catch (error) {
    return failed(reasonOf(error));
  } finally {
    run.cleared = removeScratchLater(run.spec);
  }
}

function prepare({ spec }: SupervisedRun, { built }: ActionSpec): Scratch {
  const scratch = makeScratch(spec);
  if (built !== undefined) extractArchive({ path: built.path, dir: scratch.tree, digest: built.digest });
  return scratch;
}

const requestOf = (run: SupervisedRun, { command, workingDirectory, env, hostEnv }: ActionSpec, scratch: Scratch) => ({
  name: 'action' as const,
  phase: 'lifecycle' as const,
  argv: command,
  sink: run.report.listenLines('lifecycle'),
  network: true,
  writable: { state: false, data: false },
  variables: undefined,
  hasPlan: false,
  outlives: false,
  cliConfig: '',
  build: { ...scratch, workDir: workingDirectory, action: { env, hostEnv } },
});

function outcomeOf(run: SupervisedRun, { seconds }: ActionSpec, end: CommandEnd): ActionOutcome {
  if (hasSucceeded(end)) return { kind: 'action', succeeded: true, exitCode: 0 };
  const [exceeded] = end.exceeded;
  if (end.interrupted) return failed('The action was interrupted before it ended.');
  if (end.timedOut)
    return failed(`The action took longer than its ${seconds.toLocaleString('en-US')} seconds and was ended.`);
  if (exceeded !== undefined)
    return failed(exceededMessage(exceeded, { what: 'action', allowances: allowancesOf(run.spec) }));
  const { exitCode } = end;
  return {
    ...failed(`The action ended with exit code ${exitCode}${exitReasons[exitCode] ?? ''}. Its lines are in the log.`),
    exitCode,
  };
}

/** Exit codes of a shell that cannot execute a program. */
const exitReasons: { readonly [code: number]: string } = {
  126: ' (permission denied)',
  127: ' (command not found)',
};

function reasonOf(error: unknown): string {
  if (error instanceof RunFailure || error instanceof ArchiveError) return error.message;
  if (isDiskFault(error)) return 'The disk is full or cannot be written. Free some space in the data folder.';
  const { code } = error as NodeJS.ErrnoException;
  return `The supervisor failed (${code ?? (error instanceof Error ? error.name : 'unknown error')}). Its log is in the folder of the Run.`;
}

const failed = (message: string): ActionOutcome => ({ kind: 'action', succeeded: false, message });
