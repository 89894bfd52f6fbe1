import { parentPort, workerData } from 'node:worker_threads';
import { limits } from '#shared/limits';
import { GitError } from './git-error.ts';
import { openRepository, type WorkContext } from './repository.ts';
import { createSilence } from './silence.ts';
import { syncSource } from './sync.ts';
import { asFailure } from './sync-failure.ts';
import type { FromWorker, GitTask, TaskAnswer, ToWorker, WorkerSetup } from './worker-messages.ts';

/*
 * The thread all Git work runs in: inflating and hashing would hold up the server's own. Tasks interleave where they
 * wait for the network.
 */

const { access } = workerData as WorkerSetup;
const running = new Map<number, AbortController>();
/** Ends a task that its caller no longer wants. */
const stopped = new Error('The Git work was stopped.');

const post = (message: FromWorker): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToWorker) => {
  if (message.stop === true) running.get(message.id)?.abort(stopped);
  else void run(message.id, message.task, new Int32Array(message.stop));
});

async function run(id: number, task: GitTask, stop: Int32Array): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const late = new GitError('source_timed_out', `The source took longer than ${limits.sourceSyncSeconds} seconds.`);
  const timer = setTimeout(() => controller.abort(late), limits.sourceSyncSeconds * 1_000);
  const deadline = performance.now() + limits.sourceSyncSeconds * 1_000;
  const check = (): void => {
    if (Atomics.load(stop, 0) !== 0) throw stopped;
    if (performance.now() > deadline) throw late;
    controller.signal.throwIfAborted();
  };
  const silent = createSilence(task.request.credential);
  const context: WorkContext = {
    access,
    signal: controller.signal,
    check,
    onLine: (line) => post({ id, line: silent(line) }),
    onUnpack: () => post({ id, unpacking: true }),
  };
  try {
    check();
    post({ id, answer: await perform(task, context) });
  } catch (error) {
    if (error === stopped) post({ id, stopped: true });
    else {
      const { code, message } = asFailure(error);
      post({ id, failure: { code, message: silent(message) } });
    }
  } finally {
    clearTimeout(timer);
    running.delete(id);
  }
}

async function perform(task: GitTask, context: WorkContext): Promise<TaskAnswer[keyof TaskAnswer]> {
  if (task.kind === 'sync') return syncSource(task.request, task.folders, context);
  const repository = openRepository(task.request, context);
  try {
    if (task.kind === 'tags') return await repository.tags();
    const { commit, ref } = await repository.resolve(task.request.ref);
    return { commit, ref };
  } finally {
    repository.close();
  }
}
