import path from 'node:path';
import { readPlainFile, settle, writeDurablyAsync } from '../../os/durable-file.ts';
import type { Baseline } from './state-file.ts';

/** Returns the file with the baseline of an apply, in the folder of its Run. */
export const factsFile = (runDir: string): string => path.join(runDir, 'apply.json');
const factsMaxBytes = 65_536;

/**
 * Writes the baseline; resolves when it survives a power cut. An apply that is repeated because its tool never started
 * finds its own file there. The record of the first attempt relies on that file, so it is not replaced.
 */
export function keepBaseline(runDir: string, baseline: Baseline): Promise<void> {
  const file = factsFile(runDir);
  const text = JSON.stringify(baseline);
  return readPlainFile(file, factsMaxBytes)?.toString('utf8') === text ? settle(file) : writeDurablyAsync(file, text);
}

/** Reads the baseline for a supervisor or server that adopts or concludes the apply; undefined when it was never written. */
export function readBaseline(runDir: string): Baseline | undefined {
  const text = readPlainFile(factsFile(runDir), factsMaxBytes)?.toString('utf8');
  return text === undefined ? undefined : (JSON.parse(text) as Baseline);
}
