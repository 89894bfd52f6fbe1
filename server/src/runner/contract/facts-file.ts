import path from 'node:path';
import { readPlainFile, settle, writeDurablyAsync } from '../../os/durable-file.ts';
import type { Baseline } from './state-file.ts';

/** What an apply started from, in the folder of its Run. */
export const factsFile = (runDir: string): string => path.join(runDir, 'apply.json');
const factsMaxBytes = 65_536;

/**
 * Keeps it; resolves when no power cut can take it. An apply that is made anew, because its tool never began, finds its own
 * there: the record of the first attempt relies on that file, so it is not put at risk by another one in its place.
 */
export function keepBaseline(runDir: string, baseline: Baseline): Promise<void> {
  const file = factsFile(runDir);
  const text = JSON.stringify(baseline);
  return readPlainFile(file, factsMaxBytes)?.toString('utf8') === text ? settle(file) : writeDurablyAsync(file, text);
}

/** The same for whoever takes the apply over or has to conclude it; undefined when it was never written. */
export function readBaseline(runDir: string): Baseline | undefined {
  const text = readPlainFile(factsFile(runDir), factsMaxBytes)?.toString('utf8');
  return text === undefined ? undefined : (JSON.parse(text) as Baseline);
}
