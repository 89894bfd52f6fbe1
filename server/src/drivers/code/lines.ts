import { readArchiveFile } from '#server/drivers/archive/index';
import { codeLimits } from '#shared/limits';
import { decodeText } from './text.ts';
import type { CodeLine, LinesRequest, LinesResult } from './types.ts';

/** Reads some lines of a text file of an archive. Synchronous: call it off the server thread. Throws `ArchiveError`. */
export function readLines({ from, to, ...file }: LinesRequest): LinesResult {
  const entry = readArchiveFile(file);
  if (entry.kind !== 'file') return entry;
  if (entry.bytes.length > codeLimits.fileBytes) return { kind: 'too_large' };
  const text = decodeText(entry.bytes);
  if (text === undefined) return { kind: 'not_text' };
  const all = splitLines(text);
  const last = Math.min(to, from + codeLimits.linesPerRead - 1);
  return { kind: 'lines', lines: all.slice(from - 1, last).map(toCodeLine), totalLines: all.length };
}

/** Splits a text into lines without their ends; an end after the last line does not begin another one. */
function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Cuts at a character, so that no half of a surrogate pair is left. */
const toCodeLine = (line: string): CodeLine =>
  line.length <= codeLimits.lineLength
    ? { text: line }
    : { text: line.slice(0, codeLimits.lineLength).replace(/[\ud800-\udbff]$/, ''), isCut: true };
