import { vi } from 'vitest';
import { run } from '../src/cli/commands.ts';

type Printed = { out: string; err: string };

/** Runs work with captured output, and reports each text that is printed. */
async function capture<T>(work: () => Promise<T>, onText: (text: string) => void): Promise<{ result: T } & Printed> {
  const printed = { out: '', err: '' };
  const into = (stream: keyof Printed) => (text: unknown) => {
    printed[stream] += String(text);
    onText(String(text));
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(into('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(into('err'));
  try {
    return { result: await work(), ...printed };
  } finally {
    vi.restoreAllMocks();
  }
}

/** Runs the command line in this process, and reports each text that it prints. */
async function watched(argv: string[], onText: (text: string) => void): Promise<{ code: number } & Printed> {
  const { result: code, ...printed } = await capture(() => run(argv), onText);
  return { code, ...printed };
}

/** Runs the command line in this process; returns its exit code and its output. */
export const groundctl = Object.assign((...argv: string[]) => watched(argv, () => undefined), {
  watched,
  /** Runs several commands at the same time; returns their exit codes. */
  together: async (all: string[][]): Promise<number[]> =>
    (
      await capture(
        () => Promise.all(all.map(run)),
        () => undefined,
      )
    ).result,
});
