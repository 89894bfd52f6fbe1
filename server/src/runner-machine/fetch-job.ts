import { existsSync } from 'node:fs';
import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';
import { makeFolder } from '#server/kernel/disk';
import { digestOfFile } from '#server/kernel/file-digest';
import { untilAborted } from '#server/kernel/until-aborted';
import { parseExactly } from '#shared/kernel/exact-number';
import type { HandedJob, TransferredFile } from '../runner/contract/remote/handed-job.ts';
import { type Folders, type Job, jobDir } from '../runner/index.ts';
import { noteUse } from './leftover-files.ts';
import type { MachineLink } from './link.ts';

type Options = {
  link: Pick<MachineLink, 'fetchBytes' | 'fetchFile'>;
  folders: Folders;
  whenCleared: (jobId: string) => Promise<void>;
  signal: AbortSignal;
};

/** Fetches a job and the files that it needs. What is here with the right content is not fetched again. */
export async function fetchJob(
  { runKey, input }: HandedJob,
  { link, folders, whenCleared, signal }: Options,
): Promise<Job> {
  if (!input) throw new Error('The server has no input of this job any more.');
  const key = Buffer.from(runKey, 'base64');
  const { archive, planFiles } = input;
  const archiveFile = archivePath(folders.archives, archive.digest);
  const [bytes] = await Promise.all([
    link.fetchBytes(input.job, { key, signal }),
    provide(archive, archiveFile, Buffer.from(archive.key, 'base64')),
  ]);
  const job = parseExactly(bytes.toString('utf8')) as Job;
  const planRunId = job.plan?.runId ?? job.action?.built?.planRunId;
  if (planRunId === undefined) return job;
  // The plan may have been made here, and its folder is deleted when this machine learns of its end.
  await untilAborted(whenCleared(planRunId), signal);
  await Promise.all(
    planFiles.map(({ name, ...file }) => provide(file, path.join(jobDir(folders, planRunId), name), key)),
  );
  return job;

  async function provide(from: TransferredFile, file: string, fileKey: Buffer): Promise<void> {
    if (existsSync(file) && (await digestOfFile(file)) === from.digest) {
      for (const used of [file, path.dirname(file)]) noteUse(used);
      return;
    }
    makeFolder(path.dirname(file));
    await link.fetchFile(from, { key: fileKey, file, signal });
  }
}
