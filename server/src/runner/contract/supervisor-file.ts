import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from './execution-spec.ts';

const file = (runDir: string): string => path.join(runDir, 'supervisor.json');

/** Writes the process that supervises a Run. The journal holds the same, but is long. */
export function writeSupervisor(runDir: string, identity: ProcessIdentity): void {
  writeFileSync(`${file(runDir)}.tmp`, JSON.stringify(identity), { mode: 0o600 });
  renameSync(`${file(runDir)}.tmp`, file(runDir));
}

export function readSupervisor(runDir: string): ProcessIdentity | undefined {
  try {
    const { pid, startTime, bootId } = JSON.parse(readFileSync(file(runDir), 'utf8')) as ProcessIdentity;
    return Number.isSafeInteger(pid) && pid > 1 ? { pid, startTime, bootId } : undefined;
  } catch {
    return undefined;
  }
}
