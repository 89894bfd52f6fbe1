import { z } from 'zod';
import { type RunFile, runFile } from './run-files.ts';

/** A part of a journal from a byte offset on, and the files that its records rely on. */
export type Piece = { files: readonly RunFile[]; bytes: Buffer };

const head = z.strictObject({ files: z.array(runFile).max(64) });
const newline = 0x0a;
/** Bytes of the line with the files, at most. */
const headMaxBytes = 32_768;

/** Largest number of journal bytes in a piece. A line may be longer: it continues in the next piece. */
export const pieceMaxBytes = 458_752;

/** Returns a piece as it is sealed: a line of JSON, then bytes of the journal. */
export const encodePiece = ({ files, bytes }: Piece): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ files })}\n`), bytes]);

/** Reads a piece of another machine. Throws for any other form. */
export function decodePiece(content: Buffer): Piece {
  const end = content.subarray(0, headMaxBytes).indexOf(newline);
  if (end < 0) throw new Error('The piece of the journal has no list of files.');
  const { files } = head.parse(JSON.parse(content.toString('utf8', 0, end)));
  return { files, bytes: content.subarray(end + 1) };
}
