import { bytesText } from '../../ui/number-text.ts';
import type { FieldProblem, PickedFile } from './draft.ts';
import { maxFileBytes } from './draft.ts';

export type ReadFile = { ok: true; file: PickedFile } | { ok: false; problem: FieldProblem };

/** Reads a chosen file as text, here in the browser. A large one is refused before anything of it is read. */
export async function readPickedFile(file: Pick<File, 'name' | 'size' | 'arrayBuffer'>): Promise<ReadFile> {
  const { name, size } = file;
  if (size > maxFileBytes)
    return {
      ok: false,
      problem: { text: 'form.file.large', values: { size: bytesText(size), most: bytesText(maxFileBytes) } },
    };
  if (size === 0) return { ok: false, problem: { text: 'form.file.empty' } };
  try {
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
    return content.includes('\0')
      ? { ok: false, problem: { text: 'form.file.binary' } }
      : { ok: true, file: { name, size, content } };
  } catch (error) {
    return { ok: false, problem: { text: error instanceof TypeError ? 'form.file.binary' : 'form.file.unreadable' } };
  }
}

/** A text that was pasted instead of a file. */
export function pastedFile(name: string, content: string): ReadFile {
  const size = new TextEncoder().encode(content).length;
  if (size > maxFileBytes)
    return {
      ok: false,
      problem: { text: 'form.file.large', values: { size: bytesText(size), most: bytesText(maxFileBytes) } },
    };
  return { ok: true, file: { name, size, content } };
}
