import { parentPort } from 'node:worker_threads';
import { createParser, loadBridge } from './parse-file.ts';
import { scanArchive } from './scan-archive.ts';
import type { ScanRequest, ScanResult } from './types.ts';

/** What the worker answers to each request, in order. */
export type WorkerAnswer = { result: ScanResult } | { failure: string };

const port = parentPort;
const parse = createParser();
// The parser is loaded while the first request is still on its way; a failure shows up there.
loadBridge().catch(() => undefined);

port?.on('message', (request: ScanRequest) => {
  scanArchive(request, parse).then(
    (result) => port.postMessage({ result } satisfies WorkerAnswer),
    (error: unknown) => {
      const failure = error instanceof Error ? error.message : 'The scan failed.';
      port.postMessage({ failure } satisfies WorkerAnswer);
    },
  );
});
