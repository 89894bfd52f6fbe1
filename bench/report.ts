import os from 'node:os';
import { findTool, toolOutput } from '../e2e/fixtures/tool.ts';
import { readSection, writeSection } from './doc-section.ts';
import type { BenchResult } from './median.ts';
import { reportTable } from './report-table.ts';

/** Groups of `docs/performance.md`, in the order of its table. */
export const reportedGroups: readonly string[] = [
  'run-overhead',
  'profile',
  'large-module',
  'side-by-side',
  'pools',
  'pool-machines',
  'pool-claims',
  'sync',
  'scan',
  'reads',
  'lists',
  'cold-start',
  'memory',
  'event-to-pixel',
  'backups',
  'copies',
];

const longGroups = new Set(['large-module', 'side-by-side', 'backups']);

/** Returns the rounds of a group in a report. A round of some lasts ten seconds and varies little, so three are enough. */
export const reportedRounds = (name: string, samples: number): number =>
  longGroups.has(name) ? Math.min(samples, 3) : samples;

/**
 * Writes results to the table of `docs/performance.md`. Unless the report is whole, rows of other cases stay. Prints
 * nothing.
 */
export async function writeReport(results: readonly BenchResult[], { isWhole }: { isWhole: boolean }): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  writeSection('figures', reportTable(results, date, isWhole ? '' : readSection('figures')));
  writeSection('machine', await describeMachine());
}

async function describeMachine(): Promise<string> {
  const processors = os.cpus();
  const memory = `${Math.round(os.totalmem() / 1_073_741_824)} GiB of memory`;
  const tool = (await toolOutput(findTool(), { cwd: '/', args: ['version'] })).split('\n')[0];
  return `${processors.length} processors (${processors[0]?.model ?? 'unknown'}), ${memory}, ${os.type()} ${os.release()}, Node ${process.versions.node}, ${tool}.`;
}
