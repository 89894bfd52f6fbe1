import { catchesSignal } from '../../os/process-identity.ts';
import { awaitStatus } from './status.ts';

/** Signals that a command is asked to end with, and their numbers. */
const numbers = { SIGINT: 2, SIGTERM: 15 } as const;
const retryMs = 20;

/**
 * Sends one signal to the command itself, never to bwrap, where it would be lost, and never a second one, which would
 * make the tool abandon its resources. The first process of a pid namespace ignores signals without a handler
 * (pid_namespaces(7)), so it must have installed its handler before.
 */
export async function interruptTool(
  statusFile: string,
  ended: Promise<unknown>,
  signal: keyof typeof numbers = 'SIGINT',
): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const { childPid } = await awaitStatus(statusFile, (status) => status.childPid !== undefined, ended);
  if (childPid === undefined) return;
  while (!isOver && catchesSignal(childPid, numbers[signal]) === false) {
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  if (isOver) return;
  try {
    process.kill(childPid, signal);
  } catch {
    // It ended between the check and the signal.
  }
}
