import { z } from 'zod';
import { Count } from '../kernel/scalars.ts';

/** One line of a file, without its end; `isCut` marks a line of which only the first 2,000 characters are sent. */
export const CodeLine = z.strictObject({ text: z.string(), isCut: z.literal(true).optional() });
export type CodeLine = z.infer<typeof CodeLine>;

/** README of a folder; `isCut` marks one of which only the whole lines of its first 131,072 bytes are sent. */
export const Readme = z.strictObject({
  path: z.string(),
  text: z.string(),
  sizeBytes: Count,
  isCut: z.literal(true).optional(),
});
export type Readme = z.infer<typeof Readme>;
