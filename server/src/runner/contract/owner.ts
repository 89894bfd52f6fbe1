import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeWorkFolder } from '#server/kernel/disk';
import { removeTree } from '#server/kernel/remove-tree';
import { openGroup } from '../../os/cgroup.ts';
import { endLeftoverProcesses, type Traces } from '../../os/leftover-processes.ts';
import { socketFolder } from '../../os/memory-folder.ts';
import { isAlive } from '../../os/process-identity.ts';
import { RunnerError } from '../../os/runner-error.ts';
import { removeCredentialFiles } from './credential-folders.ts';
import type { Job, ProcessIdentity } from './job.ts';

/** Who works in the folder of a Capsule, so that no two tools ever do at once, and how what they leave is found. */
type Owner = {
  runId: string;
  supervisor: ProcessIdentity;
  /** Where the control groups of its commands are, whether one is there or not. */
  groups: readonly string[];
  /** Of the command that was started last. */
  tool?: Traces;
  /** Of the one that stands ready, or stood. */
  ahead?: Traces;
};

const ownerFile = (capsuleDir: string): string => path.join(capsuleDir, 'owner.json');

/**
 * Takes the folder. A command that changes nothing and whose supervisor died is ended; an apply is only ever taken over
 * by its own Run. Throws `busy` while somebody else works there.
 */
export async function claimFolder(job: Job, supervisor: ProcessIdentity, groups: readonly string[]): Promise<void> {
  const { capsuleDir, runId } = job;
  makeWorkFolder(capsuleDir);
  const before = readOwner(capsuleDir);
  if (before !== undefined && isAlive(before.supervisor) && before.supervisor.pid !== supervisor.pid) throw busy();
  const isAdopted = job.mode === 'adopt' && before?.runId === runId && before.tool?.command === 'apply';
  // What an adopted apply has left is ended with it: until then its group tells what it used.
  if (!isAdopted && before !== undefined && !(await endWorkOf(before))) throw busy();
  if (!isAdopted) {
    removeCredentialFiles(capsuleDir);
    removeTree(socketFolder(capsuleDir));
  }
  const tool = isAdopted ? before?.tool : undefined;
  const retainedGroups = isAdopted ? (before?.groups ?? groups) : groups;
  writeOwner(capsuleDir, { runId, supervisor, groups: retainedGroups, ...(tool === undefined ? {} : { tool }) });
}

export function noteTool(job: Job, tool: Traces): void {
  const owner = readOwner(job.capsuleDir);
  if (owner !== undefined) writeOwner(job.capsuleDir, { ...owner, tool });
}

/** Noted before it becomes the tool: it would go on for an instant when its supervisor dies, and whoever comes next waits for that. */
export function notePrewarmed(job: Job, ahead: Traces): void {
  const owner = readOwner(job.capsuleDir);
  if (owner !== undefined) writeOwner(job.capsuleDir, { ...owner, ahead });
}

/** How what the last command has left is found; undefined when none was started. */
export const readTool = (job: Job): Traces | undefined => readOwner(job.capsuleDir)?.tool;

/** Frees the folder, unless another supervisor has taken it meanwhile. */
export function releaseFolder({ capsuleDir }: Job, { pid, startTime }: ProcessIdentity): void {
  const owner = readOwner(capsuleDir)?.supervisor;
  if (owner?.pid === pid && owner.startTime === startTime) rmSync(ownerFile(capsuleDir), { force: true });
}

/**
 * Ends what a supervisor that died has left in the folder of a Capsule, for a Run that nobody takes up again. An apply
 * that still runs is left alone. True when nothing is left.
 */
export async function endLeftovers(capsuleDir: string): Promise<boolean> {
  const owner = readOwner(capsuleDir);
  if (owner === undefined) return true;
  if (isAlive(owner.supervisor) || !(await endWorkOf(owner))) return false;
  // The folder stays claimed until nothing of the credentials lies there in clear.
  if (!removeCredentialFiles(capsuleDir)) return false;
  removeTree(socketFolder(capsuleDir));
  rmSync(ownerFile(capsuleDir), { force: true });
  return true;
}

/** The same in every Capsule, at a start of the server. An apply is left to the supervisor that takes it over, dead or alive. */
export async function endAllLeftovers(capsulesDir: string): Promise<void> {
  if (!existsSync(capsulesDir)) return;
  for (const name of readdirSync(capsulesDir)) {
    const capsuleDir = path.join(capsulesDir, name);
    const owner = readOwner(capsuleDir);
    if (owner !== undefined && owner.tool?.command !== 'apply') await endLeftovers(capsuleDir);
  }
}

/** False when an apply still runs, or something could not be ended. */
async function endWorkOf({ tool, ahead, groups }: Owner): Promise<boolean> {
  if (tool !== undefined && tool.command === 'apply' && isAlive(tool.identity)) return false;
  let isEnded = true;
  for (const traces of [tool, ahead])
    if (traces !== undefined && !(await endLeftoverProcesses(traces, 'later'))) isEnded = false;
  const group = openGroup(groups);
  return isEnded && (group === undefined || (await group.end()));
}

/** Written by this version or by an earlier one, whose Run outlived it. */
function readOwner(capsuleDir: string): Owner | undefined {
  try {
    const { tool, groups = [], ...owner } = JSON.parse(readFileSync(ownerFile(capsuleDir), 'utf8')) as Owner;
    if (tool === undefined) return { ...owner, groups };
    return { ...owner, groups, tool: { ...tool, leader: tool.leader ?? tool.identity, groups: tool.groups ?? [] } };
  } catch {
    return undefined;
  }
}

function writeOwner(capsuleDir: string, owner: Owner): void {
  const file = ownerFile(capsuleDir);
  writeFileSync(`${file}.tmp`, JSON.stringify(owner), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

const busy = (): RunnerError =>
  new RunnerError('busy', 'Another Run still works in the folder of this Capsule; it must end or be taken over first.');
