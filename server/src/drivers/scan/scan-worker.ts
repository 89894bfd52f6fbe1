import { parentPort } from 'node:worker_threads';
import { type ArchiveFailure, archiveFailureOf } from '#server/drivers/archive/index';
import { writeJson } from '#shared/kernel/exact-number';
import { createParser } from './parse-file.ts';
import { scanArchive } from './scan-archive.ts';
import type { ScanRequest } from './types.ts';

/**
 * Worker's answer to each request, in order: a `ScanResult` as JSON text, because exact numbers do not pass between
 * threads.
 */
export type WorkerAnswer = { scanned: string } | ArchiveFailure;

const port = parentPort;
const parse = createParser();

async function answer(request: ScanRequest): Promise<WorkerAnswer> {
  try {
    return { scanned: writeJson(await scanArchive(request, parse)) };
  } catch (error) {
    return archiveFailureOf(error, 'The scan failed.');
  }
}

port?.on('message', (request: ScanRequest) => {
  void answer(request).then((response) => port.postMessage(response));
});
