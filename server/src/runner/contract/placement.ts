import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';
import { RunnerError } from '../../os/runner-error.ts';
import { builtArchive } from './built-archive.ts';
import type { ExecutionSpec, ToolIdentity } from './execution-spec.ts';
import type { Job } from './job.ts';

/** Folders of one machine that Runs use; `mirror` is the operator's provider mirror. */
export type Folders = {
  runs: string;
  capsules: string;
  archives: string;
  providers: string;
  mirror: string | undefined;
};

/** Folders, tool and isolation of the machine that executes a job. */
export type Placement = Pick<ExecutionSpec, 'sandbox' | 'isolation' | 'asksPermission'> & {
  folders: Folders;
  tool: ToolIdentity;
};

/** Returns the folder of a job. */
export const jobDir = (folders: Folders, jobId: string): string => path.join(folders.runs, jobId);

/** Returns the folder that the jobs of one Capsule share. */
export const capsuleDir = (folders: Folders, capsuleId: string): string => path.join(folders.capsules, capsuleId);

/** Adds the paths and programs of a machine to a job. Throws `not_started` when the machine has another tool. */
export function createSpec(job: Job, { folders, tool, ...isolation }: Placement): ExecutionSpec {
  const { id, archiveDigest, tool: wanted, plan, action, ...rest } = job;
  if (wanted.name !== tool.name || wanted.version !== tool.version) throw otherTool();
  const locatedAction = action && locateAction(action, folders);
  return {
    ...rest,
    runDir: jobDir(folders, id),
    capsuleDir: capsuleDir(folders, job.capsuleId),
    archive: { path: archivePath(folders.archives, archiveDigest), digest: archiveDigest },
    tool,
    ...isolation,
    providers: { storeDir: folders.providers, ...(folders.mirror && { mirrorDir: folders.mirror }) },
    plan: plan && locatePlan(plan, folders),
    ...(locatedAction && { action: locatedAction }),
  };
}

function locatePlan({ runId, ...plan }: NonNullable<Job['plan']>, folders: Folders): ExecutionSpec['plan'] {
  return { runDir: jobDir(folders, runId), ...plan };
}

function locateAction({ built, ...action }: NonNullable<Job['action']>, folders: Folders): ExecutionSpec['action'] {
  if (built === undefined) return action;
  const { planRunId, digest } = built;
  return { ...action, built: { path: builtArchive(jobDir(folders, planRunId), digest), digest } };
}

const otherTool = (): RunnerError =>
  new RunnerError('not_started', 'The tool of this machine was replaced after the Run had been checked.');
