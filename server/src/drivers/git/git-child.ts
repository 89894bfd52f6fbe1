import process from 'node:process';
import { createTasks } from './git-tasks.ts';
import type { FromWorker, ToChild } from './worker-messages.ts';

/*
 * Process that reads repositories on this machine's disk. An untrusted path may block a call forever, such as on a
 * network file system whose server is gone. A blocked thread cannot be ended and would delay the server's exit; a
 * process can be killed.
 */

let tasks: ReturnType<typeof createTasks> | undefined;

process.on('message', (message: ToChild) => {
  if ('stop' in message) return tasks?.stop(message.id);
  tasks ??= createTasks(message.access, (answer: FromWorker) => process.send?.(answer));
  void tasks.run(message.id, message.task, () => false);
});
process.on('disconnect', () => process.exit());
