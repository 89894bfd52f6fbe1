import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../environment.ts';
import { isAlive, killGroup } from '../identity.ts';
import type { Job, ProcessIdentity } from '../job.ts';
import { RunnerError } from '../runner-error.ts';

/** Who works in the folder of a Capsule, so that no two tools ever do at once. */
type Owner = { runId: string; supervisor: ProcessIdentity; tool?: { command: Command; identity: ProcessIdentity } };

const ownerFile = (job: Job): string => path.join(job.capsuleDir, 'owner.json');

const waitMs = 20;

/**
 * Takes the folder. A command that changes nothing and whose supervisor died is ended; an apply is only ever taken over
 * by its own Run. Throws `busy` while somebody else works there.
 */
export async function claimFolder(job: Job, supervisor: ProcessIdentity): Promise<void> {
  mkdirSync(job.capsuleDir, { recursive: true, mode: 0o700 });
  const before = readOwner(job);
  if (before !== undefined && isAlive(before.supervisor) && before.supervisor.pid !== supervisor.pid) throw busy();
  const tool = before?.tool;
  if (tool !== undefined && isAlive(tool.identity)) {
    if (tool.command !== 'apply') await endTool(tool.identity);
    else if (job.mode !== 'adopt' || before?.runId !== job.runId) throw busy();
  }
  writeOwner(job, { runId: job.runId, supervisor, ...(tool === undefined ? {} : { tool }) });
}

export function noteTool(job: Job, tool: NonNullable<Owner['tool']>): void {
  const owner = readOwner(job);
  if (owner !== undefined) writeOwner(job, { ...owner, tool });
}

export const releaseFolder = (job: Job): void => rmSync(ownerFile(job), { force: true });

async function endTool(identity: ProcessIdentity): Promise<void> {
  killGroup(identity);
  while (isAlive(identity)) await delay(waitMs);
}

function readOwner(job: Job): Owner | undefined {
  try {
    return JSON.parse(readFileSync(ownerFile(job), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function writeOwner(job: Job, owner: Owner): void {
  const file = ownerFile(job);
  writeFileSync(`${file}.tmp`, JSON.stringify(owner), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

const busy = (): RunnerError =>
  new RunnerError('busy', 'Another Run still works in the folder of this Capsule; it must end or be taken over first.');
