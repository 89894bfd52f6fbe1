import { vi } from 'vitest';
import { run } from '../src/cli/commands.ts';

/** Runs the command line in this process; returns its exit code and its output. */
export async function groundctl(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.err += String(text);
    return true;
  });
  try {
    return { code: await run(argv), ...printed };
  } finally {
    vi.restoreAllMocks();
  }
}
