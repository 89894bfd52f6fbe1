import { existsSync } from 'node:fs';
import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';
import { archiveKey } from '#server/drivers/nats/index';
import type { Secret } from '#server/kernel/secret';
import { type Folders, type Job, type JobInput, jobDir, planFileNames, RunnerError } from '#server/runner/index';
import type { HeldJob } from './held-jobs.ts';
import type { PoolsLink } from './link.ts';

type Deps = {
  link: Pick<PoolsLink, 'sendFile' | 'sendBytes'>;
  folders: Folders;
  /** Key from which those of archives are derived. */
  archivesKey: () => Secret;
};

/**
 * Sends everything that a machine needs for a job. Returns where it finds it. Rejects with `RunnerError` `input_missing`
 * for a plan whose files are gone.
 */
export async function prepareJob(job: Job, held: HeldJob, deps: Deps & { signal: AbortSignal }): Promise<JobInput> {
  const { link, folders, archivesKey, signal } = deps;
  const { machineId } = held.row;
  const ofRun = { machineId, key: held.key, signal };
  const named = requirePlanFiles(job, folders);
  const key = archiveKey(archivesKey(), job.archiveDigest);
  const [archive, sentJob, ...planFiles] = await Promise.all([
    link.sendFile(archivePath(folders.archives, job.archiveDigest), { ...ofRun, key }),
    link.sendBytes(Buffer.from(JSON.stringify(job)), ofRun),
    ...named.map(async ({ name, file }) => ({ name, ...(await link.sendFile(file, ofRun)) })),
  ]);
  return { job: sentJob, archive: { ...archive, key: key.revealBytes().toString('base64') }, planFiles };
}

/**
 * Deletes what was sent for a job that is over, as far as this server knows it. The archive stays, because other jobs of the
 * machine use it. What cannot be deleted now is deleted after a day.
 */
export function deleteInput({ input, row: { machineId }, key }: HeldJob, link: Pick<PoolsLink, 'deleteFile'>): void {
  if (!input) return;
  for (const { digest, sizeBytes } of [input.job, ...input.planFiles])
    link.deleteFile({ digest, sizeBytes }, { machineId, key, direction: 'in' }).catch(() => {});
}

function requirePlanFiles(job: Job, folders: Folders): { name: string; file: string }[] {
  const files = planFilesOf(job, folders);
  if (files.every(({ file }) => existsSync(file))) return files;
  throw new RunnerError(
    'input_missing',
    'The files of the plan are not on this server any more, so nothing was started. Plan again.',
  );
}

function planFilesOf({ plan, action }: Job, folders: Folders): { name: string; file: string }[] {
  const runId = plan?.runId ?? action?.built?.planRunId;
  if (runId === undefined) return [];
  const builtDigest = plan?.builtDigest ?? action?.built?.digest;
  return planFileNames(builtDigest).map((name) => ({ name, file: path.join(jobDir(folders, runId), name) }));
}
