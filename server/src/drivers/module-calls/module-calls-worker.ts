import { parentPort } from 'node:worker_threads';
import { ArchiveError } from '#server/drivers/archive/index';
import { createParser } from '#server/drivers/scan/index';
import { explore } from './explore.ts';
import { ModuleCallError, type ModuleCallErrorCode } from './module-call-error.ts';
import type { ExploredPackage, ExploreRequest } from './types.ts';
import { type WriteCopyRequest, type WrittenCopy, writeCopy } from './write-copy.ts';

export type ModuleCallsTask = { explore: ExploreRequest } | { copy: WriteCopyRequest };
/** Worker's answer to each task, in order. */
export type ModuleCallsAnswer =
  | { explored: ExploredPackage }
  | { copied: WrittenCopy }
  | { code: ModuleCallErrorCode; message: string };

const port = parentPort;
const parse = createParser();

async function answer(task: ModuleCallsTask): Promise<ModuleCallsAnswer> {
  if ('explore' in task) return { explored: await explore(task.explore, parse) };
  return { copied: await writeCopy(task.copy, parse) };
}

/** An unknown error may come from a parser that cannot be used again, so it ends the thread. */
function failureOf(error: unknown): ModuleCallsAnswer {
  if (error instanceof ModuleCallError) return { code: error.code, message: error.message };
  if (error instanceof ArchiveError) return { code: 'archive_unreadable', message: error.message };
  throw error;
}

port?.on('message', (task: ModuleCallsTask) => {
  void answer(task)
    .catch(failureOf)
    .then((response) => port.postMessage(response));
});
