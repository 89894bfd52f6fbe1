import type { FeedDiagnostic } from '#shared/runs/feed';

type Range = NonNullable<FeedDiagnostic['range']>;
export type CodeRange = { path: string; from: number; to: number };

/** Lines shown around the range, and most lines shown. */
const around = 2;
const most = 15;
const configuration = /\.(?:tf|tofu)(?:\.json)?$/;
/** Files that the server adds beside those of the module sort after them. */
const generated = /^z+_/;

/**
 * Returns the lines of a snapshot that a diagnostic is about. The tool names files from the folder of the module.
 * Undefined for files outside the Source path, values, and files that the server adds.
 */
export function codeRangeOf({ filename, start, end }: Range, modulePath: string): CodeRange | undefined {
  const path = joined(modulePath, filename);
  if (path === undefined || !configuration.test(path) || generated.test(path.split('/').at(-1) ?? '')) return undefined;
  if (start.line < 1) return undefined;
  const from = Math.max(start.line - around, 1);
  return { path, from, to: Math.min(Math.max(end.line, start.line) + around, from + most - 1) };
}

function joined(folder: string, name: string): string | undefined {
  if (name.startsWith('/') || name.includes('\\')) return undefined;
  const parts: string[] = [];
  for (const part of [...folder.split('/'), ...name.split('/')]) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '.' && part !== '..' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
