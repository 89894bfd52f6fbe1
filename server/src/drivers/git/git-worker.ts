import { parentPort, workerData } from 'node:worker_threads';
import { createTasks } from './git-tasks.ts';
import type { ToWorker, WorkerSetup } from './worker-messages.ts';

/* Thread that fetches from Git servers, because inflating and hashing would block the server's own thread. */

const tasks = createTasks((workerData as WorkerSetup).access, (message) => parentPort?.postMessage(message));

parentPort?.on('message', (message: ToWorker) => {
  if (message.stop === true) return tasks.stop(message.id);
  const stop = new Int32Array(message.stop);
  void tasks.run(message.id, message.task, () => Atomics.load(stop, 0) !== 0);
});
