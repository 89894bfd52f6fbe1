import { parentPort } from 'node:worker_threads';
import { type ArchiveFailure, archiveFailureOf, readArchiveFile } from '#server/drivers/archive/index';
import type { CodeDifference } from '#shared/sources/code';
import { compareArchives } from './compare.ts';
import { readLines } from './lines.ts';
import { readReadme } from './readme.ts';
import type {
  CompareRequest,
  FileRequest,
  FileResult,
  LinesRequest,
  LinesResult,
  ReadmeRequest,
  ReadmeResult,
} from './types.ts';

export type CodeRequest =
  | { compare: CompareRequest }
  | { file: FileRequest }
  | { lines: LinesRequest }
  | { readme: ReadmeRequest };
/** Worker's answer to each request, in order. */
export type CodeAnswer =
  | { difference: CodeDifference }
  | { file: FileResult }
  | { lines: LinesResult }
  | { readme: ReadmeResult }
  | ArchiveFailure;

const port = parentPort;

function answer(request: CodeRequest): CodeAnswer {
  try {
    if ('compare' in request) return { difference: compareArchives(request.compare) };
    if ('file' in request) return { file: readArchiveFile(request.file) };
    if ('lines' in request) return { lines: readLines(request.lines) };
    return { readme: readReadme(request.readme) };
  } catch (error) {
    return archiveFailureOf(error, 'The archive could not be read.');
  }
}

port?.on('message', (request: CodeRequest) => port.postMessage(answer(request)));
