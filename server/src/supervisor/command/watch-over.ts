import { setTimeout as delay } from 'node:timers/promises';
import { allowancesOf, exceededMessage } from '../../os/allowances.ts';
import { endLeftoverProcesses } from '../../os/leftover-processes.ts';
import { isAlive } from '../../os/process-identity.ts';
import type { ProcessIdentity } from '../../runner/contract/execution-spec.ts';
import type { CommandEnd, CommandRequest, StartedCommand, SupervisedRun } from '../run.ts';
import { watchAllowances } from './allowance-watch.ts';
import { removeGrowth } from './growth.ts';
import { interruptTool } from './interrupt.ts';
import { discardPrewarmed } from './prewarm.ts';

/** Watches over a command from its `go` to its end: enforces its time and other limits, and ends it on a cancel. */
export async function watchOver(
  run: SupervisedRun,
  started: StartedCommand,
  limitSeconds?: number,
): Promise<CommandEnd> {
  const { request, slot, child, traces, group } = started;
  const allowances = allowancesOf(run.spec);
  const { patienceSeconds } = allowances;
  const isAction = request.build?.action !== undefined;
  const end = { interrupted: false, timedOut: false };
  const timers: NodeJS.Timeout[] = [];
  const ended = child.exited.then(async (exit) => {
    if (request.outlives) await awaitDeath(traces.identity);
    return exit;
  });
  const startedAt = Date.now();
  const say = (level: 'info' | 'warn' | 'error', text: string): void => run.report.say(request.phase, level, text);
  const kill = (): void => void endLeftoverProcesses(traces);
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    // A program of a build has nothing to save, and as the first process of its namespace most would ignore an interrupt.
    if (request.build !== undefined && !isAction) {
      kill();
      return;
    }
    void interruptTool(slot.status, ended, isAction ? 'SIGTERM' : 'SIGINT');
    if (request.outlives) return;
    const seconds = isAction ? actionPatienceSeconds : patienceSeconds;
    const lose = (): void => {
      say('warn', `The ${isAction ? 'action' : 'tool'} did not end ${seconds} seconds after a signal and was killed.`);
      kill();
    };
    timers.push(setTimeout(lose, seconds * 1000));
  };
  const unsubscribe = run.cancel.onRequest(() => {
    end.interrupted = true;
    say('info', cancelMessage(request));
    stop();
  });
  if (limitSeconds !== undefined) {
    const expire = (): void => {
      end.timedOut = true;
      say('error', `The command used up its time and was interrupted after ${Math.ceil(limitSeconds)} seconds.`);
      stop();
    };
    timers.push(setTimeout(expire, limitSeconds * 1000));
  }
  const watch = watchAllowances(run, group, (exceeded) => {
    say(request.outlives ? 'warn' : 'error', exceededMessage(exceeded, { what: stepOf(request), allowances }));
    // It has nothing to save, and a command over a limit would also exceed it during its grace period.
    if (!request.outlives) kill();
  });
  const { code, signal } = await ended;
  await request.beside?.stop();
  unsubscribe();
  for (const timer of timers) clearTimeout(timer);
  const exceeded = await watch.finish();
  if (!(await endLeftoverProcesses(traces))) say('warn', 'A process that this command has started could not be ended.');
  const isFull = exceeded.includes('disk') || exceeded.includes('reserve');
  // The prewarmed command must not write there during the removal, and its program cannot be trusted.
  if (isFull) await discardPrewarmed(run);
  if (isFull && !request.outlives && !removeGrowth(run, startedAt))
    say('warn', 'Not everything that this command has written could be removed from the folder of the Capsule.');
  return { ...end, exceeded, exitCode: code ?? (signal === 'SIGKILL' ? 137 : 255) };
}

/** Time that an action has after SIGTERM. */
const actionPatienceSeconds = 10;

function cancelMessage({ build }: CommandRequest): string {
  if (build?.action !== undefined) return 'The Run was interrupted; the action was asked to end.';
  if (build !== undefined) return 'The Run was cancelled; the build was ended.';
  return 'The Run was cancelled; the tool was interrupted and is awaited.';
}
const pollMs = 200;

/** Waits for the end of an apply, which outlives bwrap or the shell around it: when that is killed the tool still changes resources. */
async function awaitDeath(identity: ProcessIdentity): Promise<void> {
  while (isAlive(identity)) await delay(pollMs);
}

/** Returns the phase name of a command for messages. */
const stepOf = ({ phase }: CommandRequest): string => phase;
