import path from 'node:path';
import { z } from 'zod';
import { builtArchive } from '../built-archive.ts';
import type { JournalRecord } from '../execution-spec.ts';
import { factsFile } from '../facts-file.ts';
import { planDocumentFile } from '../run-file-names.ts';

/** The state file that the tool worked on, as found when no supervisor was left. */
export const workedState = 'worked.tfstate';

/** Copies that the journal does not name: states that a tool printed or left when it could not save its state. */
export const recoveredStates = ['emergency.tfstate', 'errored.tfstate', workedState];
export const isRecoveredState = (name: string): boolean => recoveredStates.includes(name);

/** Largest file of a Run that a machine sends, in bytes. */
export const runFileMaxBytes = 536_870_912;

/** Returns the files of a plan that its apply needs, by their names in the folder of the plan. */
export const planFileNames = (builtDigest: string | undefined): string[] => [
  'plan',
  ...(builtDigest === undefined ? [] : [builtArchive('', builtDigest)]),
];

/** Returns the names of the files in the folder of a Run that a record relies on. They travel before the record. */
export function filesNamedBy(record: JournalRecord): string[] {
  if (record.t === 'state') return [record.file];
  if (record.t === 'spawned') return record.command === 'apply' ? [factsFile('')] : [];
  if (record.t !== 'outcome') return [];
  const { outcome } = record;
  if (outcome.kind === 'plan') return [...planFileNames(outcome.builtDigest), outcome.projectionFile];
  return outcome.kind === 'apply' && outcome.state ? [outcome.state.file] : [];
}

const plainNames = /^(?:plan|apply\.json|[a-z]+\.tfstate|state-[0-9a-f-]+\.tfstate)$/;
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** Reports whether a machine may send a file of this name: it stays in the folder of its Run and replaces nothing else. */
const isRunFile = (name: string): boolean => name === planDocumentFile || plainNames.test(name) || isBuilt(name);

function isBuilt(name: string): boolean {
  const hex = path.posix.basename(name, '.tar');
  return /^[0-9a-f]{64}$/.test(hex) && name === builtArchive('', `sha256:${hex}`);
}

export const runFile = z.strictObject({
  name: z.string().max(200).refine(isRunFile),
  digest,
  sizeBytes: z.int().min(0).max(runFileMaxBytes),
});
export type RunFile = z.infer<typeof runFile>;
