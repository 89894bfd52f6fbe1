import { createWorkerQueue, type WorkerFailure } from '#server/kernel/worker-queue';
import { limits } from '#shared/limits';
import { ModuleCallError } from './module-call-error.ts';
import type { ModuleCallsAnswer, ModuleCallsTask } from './module-calls-worker.ts';
import type { ExploredPackage, ExploreRequest } from './types.ts';
import type { WriteCopyRequest, WrittenCopy } from './write-copy.ts';

/** Follows the calls of modules and copies what they lead to. Every method rejects with `ModuleCallError`. */
export type ModuleCalls = {
  explore: (request: ExploreRequest) => Promise<ExploredPackage>;
  writeCopy: (request: WriteCopyRequest) => Promise<WrittenCopy>;
  /** Ends the worker; running and waiting requests reject. */
  close: () => Promise<void>;
};

const heapMegabytes = 1_024;

/** Runs the work in one thread; requests run in sequence. */
export function createModuleCalls({
  timeoutMs = limits.scanSeconds * 1_000,
}: {
  timeoutMs?: number;
} = {}): ModuleCalls {
  const queue = createWorkerQueue<ModuleCallsTask, ModuleCallsAnswer>({
    entry: 'module-calls-worker',
    what: 'Reading the modules',
    heapMegabytes,
    timeoutMs,
  });
  return {
    async explore(request) {
      const answer = await queue.send({ explore: request });
      return 'explored' in answer ? answer.explored : fail(answer);
    },
    async writeCopy(request) {
      const answer = await queue.send({ copy: request });
      return 'copied' in answer ? answer.copied : fail(answer);
    },
    close: queue.close,
  };
}

function fail(answer: ModuleCallsAnswer | WorkerFailure): never {
  if ('code' in answer) throw new ModuleCallError(answer.code, answer.message);
  throw new ModuleCallError(
    'interrupted',
    'failure' in answer ? answer.failure : 'The worker answered another request.',
  );
}
