import { parentPort } from 'node:worker_threads';
import type { WorkerFailure } from '#server/kernel/worker-queue';
import { answer, type SchemaAnswer, type SchemaRequest } from './evaluate.ts';

const port = parentPort;
port?.on('message', (request: SchemaRequest) => {
  try {
    port.postMessage(answer(request) satisfies SchemaAnswer);
  } catch {
    // The text of an error may hold a part of the value.
    port.postMessage({ failure: 'The schema could not be evaluated.' } satisfies WorkerFailure);
  }
});
