import { parentPort } from 'node:worker_threads';
import { type ArchiveFailure, archiveFailureOf, readArchiveFile } from '#server/drivers/archive/index';
import { readLines } from './lines.ts';
import { readReadme } from './readme.ts';
import type { FileRequest, FileResult, LinesRequest, LinesResult, ReadmeRequest, ReadmeResult } from './types.ts';

export type CodeRequest = { file: FileRequest } | { lines: LinesRequest } | { readme: ReadmeRequest };
/** Worker's answer to each request, in order. */
export type CodeAnswer = { file: FileResult } | { lines: LinesResult } | { readme: ReadmeResult } | ArchiveFailure;

const port = parentPort;

function answer(request: CodeRequest): CodeAnswer {
  try {
    if ('file' in request) return { file: readArchiveFile(request.file) };
    if ('lines' in request) return { lines: readLines(request.lines) };
    return { readme: readReadme(request.readme) };
  } catch (error) {
    return archiveFailureOf(error, 'The archive could not be read.');
  }
}

port?.on('message', (request: CodeRequest) => port.postMessage(answer(request)));
