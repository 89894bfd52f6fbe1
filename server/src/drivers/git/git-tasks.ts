import { limits } from '#shared/limits';
import { createCredentialRedactor } from './credential-redactor.ts';
import { GitError } from './git-error.ts';
import { mustRead, treeOfCommit } from './git-object.ts';
import type { GitAccess, GitFile } from './git-types.ts';
import { openFolder, openRepository, type Repository, type WorkContext } from './repository.ts';
import { listSnapshot } from './snapshot.ts';
import { syncSource } from './sync.ts';
import { asFailure } from './sync-failure.ts';
import type { FromWorker, GitTask, TaskAnswer } from './worker-messages.ts';

/** Ends a task that its caller no longer wants. */
const stopped = new Error('The Git work was stopped.');

/** Creates the tasks of one thread or process. They interleave while they wait for the network. */
export function createTasks(access: GitAccess, post: (message: FromWorker) => void) {
  const running = new Map<number, AbortController>();

  /** `isStopped` is called by synchronous work. */
  async function run(id: number, task: GitTask, isStopped: () => boolean): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    const late = new GitError('source_timed_out', `The source took longer than ${limits.sourceSyncSeconds} seconds.`);
    const timer = setTimeout(() => controller.abort(late), limits.sourceSyncSeconds * 1_000);
    const deadline = performance.now() + limits.sourceSyncSeconds * 1_000;
    const check = (): void => {
      if (isStopped()) throw stopped;
      if (performance.now() > deadline) throw late;
      controller.signal.throwIfAborted();
    };
    const redact = createCredentialRedactor(task.request.credential);
    const context: WorkContext = {
      access,
      signal: controller.signal,
      check,
      onLine: (line) => post({ id, line: redact(line) }),
      onUnpack: () => post({ id, unpacking: true }),
    };
    try {
      check();
      post({ id, answer: await perform(task, context) });
    } catch (error) {
      if (error === stopped) post({ id, stopped: true });
      else {
        const { code, message } = asFailure(error);
        post({ id, failure: { code, message: redact(message) } });
      }
    } finally {
      clearTimeout(timer);
      running.delete(id);
    }
  }

  return { run, stop: (id: number): void => running.get(id)?.abort(stopped) };
}

/** Objects on this machine's disk are read where they are, so no folder is needed for them. */
async function listFiles(repository: Repository, ref: string, check: () => void): Promise<GitFile[]> {
  const resolved = await repository.resolve(ref);
  const { objects } = await repository.objectsOf(resolved, '');
  const root = treeOfCommit(mustRead(objects, resolved.commit, 'commit'));
  const { files } = listSnapshot({ objects, entriesRead: 0, check }, root, '.');
  return files.map(({ path, executable, id }) => [path, `${executable ? '100755' : '100644'} ${id}`]);
}

async function perform(task: GitTask, context: WorkContext): Promise<TaskAnswer[keyof TaskAnswer]> {
  if (task.kind === 'sync') return syncSource(task.request, task.folders, context);
  const repository = task.kind === 'files' ? openFolder(task.request.folder) : openRepository(task.request, context);
  try {
    if (task.kind === 'tags') return await repository.tags();
    if (task.kind === 'files') return await listFiles(repository, task.request.ref, context.check);
    const { commit, ref } = await repository.resolve(task.request.ref);
    return { commit, ref };
  } finally {
    repository.close();
  }
}
