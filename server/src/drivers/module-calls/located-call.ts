import type { TextRange } from './text-edit.ts';

/** An argument of a call: `whole` is the attribute or JSON property, `value` its expression. */
export type LocatedArgument = { whole: TextRange; value: TextRange };

/**
 * A `module` block of one file. An override file may hold several blocks of a name, and a block neither a source nor a
 * version. `line` is that of the source, or of the block without one; the first line is 1.
 */
export type LocatedCall = {
  name: string;
  line: number;
  source: LocatedArgument | undefined;
  version: LocatedArgument | undefined;
};

/** Returns the line of an index; the first line is 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
