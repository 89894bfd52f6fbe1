import { createWorkerQueue, type WorkerFailure } from '#server/kernel/worker-queue';
import { codeLimits } from '#shared/limits';
import type { CodeAnswer, CodeRequest } from './code-worker.ts';
import type {
  CompareRequest,
  CompareResult,
  FileRequest,
  FileResult,
  LinesRequest,
  LinesResult,
  ReadmeRequest,
  ReadmeResult,
} from './types.ts';

/** Reads archives off the thread of the server. Nothing rejects. */
export type Code = {
  compare: (request: CompareRequest) => Promise<CompareResult>;
  readFile: (request: FileRequest) => Promise<FileResult>;
  readLines: (request: LinesRequest) => Promise<LinesResult>;
  readReadme: (request: ReadmeRequest) => Promise<ReadmeResult>;
  /** Ends the worker; running and waiting requests return a failure. */
  close: () => Promise<void>;
};

const heapMegabytes = 512;

/** Reads and compares the files of archives in one worker thread, apart from the scans, which take longer. */
export function createCode({ timeoutMs = codeLimits.seconds * 1_000 }: { timeoutMs?: number } = {}): Code {
  const queue = createWorkerQueue<CodeRequest, CodeAnswer>({
    entry: 'code-worker',
    what: 'Reading the archive',
    heapMegabytes,
    timeoutMs,
  });
  return {
    async compare(request) {
      const answer = await queue.send({ compare: request });
      return 'difference' in answer ? { kind: 'difference', ...answer } : failedOf(answer);
    },
    async readFile(request) {
      const answer = await queue.send({ file: request });
      return 'file' in answer ? answer.file : failedOf(answer);
    },
    async readLines(request) {
      const answer = await queue.send({ lines: request });
      return 'lines' in answer ? answer.lines : failedOf(answer);
    },
    async readReadme(request) {
      const answer = await queue.send({ readme: request });
      return 'readme' in answer ? answer.readme : failedOf(answer);
    },
    close: queue.close,
  };
}

/** Returns the failure of an answer. An answer to another request cannot occur, but would also be a failure. */
const failedOf = (answer: CodeAnswer | WorkerFailure) => ({
  kind: 'failed' as const,
  ...('failure' in answer ? answer : { failure: 'The answer is that of another request.' }),
});
