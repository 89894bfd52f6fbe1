import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../os/process-identity.ts';
import type { ProcessIdentity } from './contract/execution-spec.ts';
import { readSupervisor } from './contract/supervisor-file.ts';

/** Run that is recorded as working in the folder of a Capsule, and whether it still does. */
type Occupant = { runId: string; isSupervised: boolean; isToolAlive: boolean };

/** Reports whether the supervisor of a Run is alive. */
export function isSupervised(runDir: string): boolean {
  const identity = readSupervisor(runDir);
  return identity !== undefined && isAlive(identity);
}

/** Returns undefined when no Run is recorded, or the record cannot be read. */
export function findOccupant(capsuleDir: string): Occupant | undefined {
  type Owner = { runId: string; supervisor: ProcessIdentity; tool?: { identity: ProcessIdentity } };
  try {
    const owner = JSON.parse(readFileSync(path.join(capsuleDir, 'owner.json'), 'utf8')) as Owner;
    const { runId, supervisor, tool } = owner;
    return {
      runId,
      isSupervised: isAlive(supervisor),
      isToolAlive: tool !== undefined && isAlive(tool.identity),
    };
  } catch {
    return undefined;
  }
}
