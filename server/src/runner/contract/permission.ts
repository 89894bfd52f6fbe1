import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeAtomically, writeDurably } from '../../os/durable-file.ts';

/*
 * A machine that executes a Run for a ledger elsewhere asks that ledger at the last moment whether an apply or an action may
 * start. Question and answer are files in the folder of the Run, so that they outlive both processes.
 */

/** The answer of the ledger: `granted` once means that no other machine ever gets the Run. */
export type Permission = 'granted' | 'refused';

/** Returns the file by which a supervisor asks. */
export const permissionRequestFile = (runDir: string): string => path.join(runDir, 'permission-request');
const answerFile = (runDir: string): string => path.join(runDir, 'permission');

/** Asks, unless it was asked before. */
export function requestPermission(runDir: string): void {
  if (!existsSync(permissionRequestFile(runDir))) writeAtomically(permissionRequestFile(runDir), '');
}

/** Answers, durably: a machine that has lost a permit in a power failure would give up an apply that has started. */
export const answerPermission = (runDir: string, permission: Permission): void =>
  writeDurably(answerFile(runDir), permission);

/** Returns the answer; undefined before there is one. */
export function readPermission(runDir: string): Permission | undefined {
  try {
    return readFileSync(answerFile(runDir), 'utf8') === 'granted' ? 'granted' : 'refused';
  } catch {
    return undefined;
  }
}
