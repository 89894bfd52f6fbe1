import path from 'node:path';
import { readPlainFile } from '../durable-file.ts';
import type { Baseline } from './state-file.ts';

/** What an apply started from, in the folder of its Run. */
export const factsFile = (runDir: string): string => path.join(runDir, 'apply.json');

/** The same for whoever takes the apply over or has to conclude it; undefined when it was never written. */
export function readBaseline(runDir: string): Baseline | undefined {
  const text = readPlainFile(factsFile(runDir), 65_536)?.toString('utf8');
  return text === undefined ? undefined : (JSON.parse(text) as Baseline);
}
