import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeWorkFolder } from '#server/kernel/disk';
import { removeTree } from '#server/kernel/remove-tree';
import { openGroup } from '../../os/cgroup.ts';
import { endLeftoverProcesses, type Traces } from '../../os/leftover-processes.ts';
import { shortFolders } from '../../os/memory-folder.ts';
import { isAlive } from '../../os/process-identity.ts';
import { RunnerError } from '../../os/runner-error.ts';
import { removeCredentialFiles } from './credential-folders.ts';
import type { ExecutionSpec, ProcessIdentity } from './execution-spec.ts';

/**
 * Supervisor that works in the folder of a Capsule, so that two tools never run there at once, and traces to find its
 * leftover processes.
 */
type Owner = {
  runId: string;
  supervisor: ProcessIdentity;
  /** Possible control groups of its commands. */
  groups: readonly string[];
  /** Traces of the command that was started last. */
  tool?: Traces;
  /** Traces of the prewarmed command. */
  ahead?: Traces;
  /** Traces of the providers beside the commands. */
  providers?: readonly Traces[];
};

const ownerFile = (capsuleDir: string): string => path.join(capsuleDir, 'owner.json');

/**
 * Claims the folder. Ends a read-only command whose supervisor died; an apply can only be adopted by its own Run.
 * Throws `busy` while another supervisor works there.
 */
export async function claimFolder(
  spec: ExecutionSpec,
  supervisor: ProcessIdentity,
  groups: readonly string[],
): Promise<void> {
  const { capsuleDir, runId } = spec;
  makeWorkFolder(capsuleDir);
  const before = readOwner(capsuleDir);
  if (before !== undefined && isAlive(before.supervisor) && before.supervisor.pid !== supervisor.pid) throw busy();
  const isAdopted = spec.mode === 'adopt' && before?.runId === runId && before.tool?.command === 'apply';
  // Leftover processes of an adopted apply are ended with it; until then its control group reports its resource usage.
  if (!isAdopted && before !== undefined && !(await endWorkOf(before))) throw busy();
  if (!isAdopted) {
    removeCredentialFiles(capsuleDir);
    for (const folder of shortFolders(capsuleDir)) removeTree(folder);
  }
  const tool = isAdopted ? before?.tool : undefined;
  const retainedGroups = isAdopted ? (before?.groups ?? groups) : groups;
  writeOwner(capsuleDir, { runId, supervisor, groups: retainedGroups, ...(tool === undefined ? {} : { tool }) });
}

export function noteTool(spec: ExecutionSpec, tool: Traces): void {
  const owner = readOwner(spec.capsuleDir);
  if (owner !== undefined) writeOwner(spec.capsuleDir, { ...owner, tool });
}

/**
 * Records a prewarmed command before it becomes the tool. It can outlive its supervisor for an instant, and the next
 * owner waits for its end.
 */
export function notePrewarmed(spec: ExecutionSpec, ahead: Traces): void {
  const owner = readOwner(spec.capsuleDir);
  if (owner !== undefined) writeOwner(spec.capsuleDir, { ...owner, ahead });
}

/** Records a provider beside a command before its program runs. It can outlive its supervisor for an instant too. */
export function noteProvider(spec: ExecutionSpec, provider: Traces): void {
  const owner = readOwner(spec.capsuleDir);
  if (owner !== undefined) writeOwner(spec.capsuleDir, { ...owner, providers: [...(owner.providers ?? []), provider] });
}

/** Returns the folder of the Capsule in which a Run works, or its supervisor did when it died; undefined when there is none. */
export const findFolderOf = (capsulesDir: string, runId: string): string | undefined =>
  listFolders(capsulesDir).find((capsuleDir) => readOwner(capsuleDir)?.runId === runId);

/** Returns the traces of the last command; undefined when none was started. */
export const readTool = (spec: ExecutionSpec): Traces | undefined => readOwner(spec.capsuleDir)?.tool;

/** Releases the folder, unless another supervisor has claimed it. */
export function releaseFolder({ capsuleDir }: ExecutionSpec, { pid, startTime }: ProcessIdentity): void {
  const owner = readOwner(capsuleDir)?.supervisor;
  if (owner?.pid === pid && owner.startTime === startTime) rmSync(ownerFile(capsuleDir), { force: true });
}

/**
 * Ends leftover processes of a dead supervisor in the folder of a Capsule, for a Run that is not adopted. A running
 * apply is not touched. Returns true when nothing is left.
 */
export async function endLeftovers(capsuleDir: string): Promise<boolean> {
  const owner = readOwner(capsuleDir);
  if (owner === undefined) return true;
  if (isAlive(owner.supervisor) || !(await endWorkOf(owner))) return false;
  // The folder stays claimed until no unencrypted credential is left in it.
  if (!removeCredentialFiles(capsuleDir)) return false;
  for (const folder of shortFolders(capsuleDir)) removeTree(folder);
  rmSync(ownerFile(capsuleDir), { force: true });
  return true;
}

/** Ends leftover processes of all Capsules, at a start of the server. An apply is left to the supervisor that adopts it, dead or alive. */
export async function endAllLeftovers(capsulesDir: string): Promise<void> {
  for (const capsuleDir of listFolders(capsulesDir)) {
    const owner = readOwner(capsuleDir);
    if (owner !== undefined && owner.tool?.command !== 'apply') await endLeftovers(capsuleDir);
  }
}

const listFolders = (dir: string): string[] =>
  existsSync(dir) ? readdirSync(dir).map((name) => path.join(dir, name)) : [];

/** Ends the processes of an owner. Returns false when an apply still runs, or something could not be ended. */
async function endWorkOf({ tool, ahead, providers = [], groups }: Owner): Promise<boolean> {
  if (tool !== undefined && tool.command === 'apply' && isAlive(tool.identity)) return false;
  let isEnded = true;
  for (const traces of [tool, ahead, ...providers])
    if (traces !== undefined && !(await endLeftoverProcesses(traces))) isEnded = false;
  const group = openGroup(groups);
  return isEnded && (group === undefined || (await group.end()));
}

/** Reads a file of this version or of an earlier one, whose Run outlived it. */
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
