import { parentPort } from 'node:worker_threads';
import { ArchiveError, readArchiveFile } from '#server/drivers/archive/index';
import { writeJson } from '#shared/kernel/exact-number';
import { loadNativeParser } from './native-parser.ts';
import { createParser } from './parse-file.ts';
import { scanArchive } from './scan-archive.ts';
import type { ArchiveFault, FileRequest, FileResult, ScanRequest } from './types.ts';

export type WorkerRequest = { scan: ScanRequest } | { file: FileRequest };
export type WorkerFailure = { failure: string; archiveFault?: ArchiveFault };
/**
 * Worker's answer to each request, in order: a `ScanResult` as JSON text, because exact numbers do not pass between
 * threads.
 */
export type WorkerAnswer = { scanned: string } | { file: FileResult } | WorkerFailure;

const port = parentPort;
const parse = createParser();
// The parser loads while the first request is in transit; its first use reports a failure.
loadNativeParser().catch(() => undefined);

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  try {
    if ('file' in request) return { file: readArchiveFile(request.file) };
    return { scanned: writeJson(await scanArchive(request.scan, parse)) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'The scan failed.';
    return { failure, ...faultOf(error) };
  }
}

function faultOf(error: unknown): { archiveFault?: ArchiveFault } {
  if (!(error instanceof ArchiveError)) return {};
  return { archiveFault: error.code === 'archive_missing' ? 'archive_missing' : 'archive_corrupt' };
}

port?.on('message', (request: WorkerRequest) => {
  void answer(request).then((response) => port.postMessage(response));
});
