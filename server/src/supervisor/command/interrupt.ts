import { catchesSignal } from '../../os/process-identity.ts';
import { awaitStatus } from './status.ts';

const sigint = 2;
const retryMs = 20;

/**
 * Sends one SIGINT to the tool itself, never to bwrap, where it would be lost, and never a second one, which would make
 * the tool abandon its resources. The first process of a pid namespace ignores signals without a handler
 * (pid_namespaces(7)), so the tool must have installed its handler before.
 */
export async function interruptTool(statusFile: string, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const { childPid } = await awaitStatus(statusFile, (status) => status.childPid !== undefined, ended);
  if (childPid === undefined) return;
  while (!isOver && catchesSignal(childPid, sigint) === false) {
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  if (isOver) return;
  try {
    process.kill(childPid, 'SIGINT');
  } catch {
    // It ended between the check and the signal.
  }
}
