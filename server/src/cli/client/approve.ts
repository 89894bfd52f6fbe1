import { ApiError } from '#shared/kernel/client';
import type { Run } from '#shared/runs/contract';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { TerminalWork, Work } from './command.ts';

/** Puts a question to the person, and returns true for `yes`. */
export async function isConfirmed({ terminal, signal }: TerminalWork, question: string): Promise<boolean> {
  const answer = await terminal.prompt(`${question} Type yes: `, signal);
  if (signal.aborted) throw signal.reason;
  return answer?.trim().toLowerCase() === 'yes';
}

/** Approves a Run that waits for it; the recorded reason is the command. */
export async function approve({ server, command, options }: Work, run: Run): Promise<void> {
  const reason = options['auto-approve'] ? `${command} --auto-approve` : command;
  await server.api
    .approveRun({ params: { runId: run.id }, body: { reason } })
    .catch((error: unknown) => waits(error, server.link(`/runs/${run.id}`)));
}

/** Reports that another person has to approve, which is not a failure. */
function waits(error: unknown, link: string): never {
  const reason = error instanceof ApiError ? error.details['reason'] : undefined;
  if (reason !== 'second_person_required' || !(error instanceof Error)) throw error;
  throw new CommandError(`${error.message} The Run waits at ${link}`, { exitCode: exitCodes.waits, code: reason });
}
