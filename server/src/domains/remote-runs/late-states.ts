import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { RunsService } from '#server/domains/runs/index';
import { makeFolder } from '#server/kernel/disk';
import { faultFields, type Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import { type Folders, jobDir, type RunFile, runFile } from '#server/runner/index';
import type { EndedJob, HeldJobs } from './held-jobs.ts';
import type { PoolsLink } from './link.ts';

/** Files of an apply that was ended without its machine, in a folder of their own. */
export type LateFiles = { runId: string; machineId: string; dir: string };

type Deps = {
  log: Log;
  jobs: Pick<HeldJobs, 'findEnded'>;
  folders: Folders;
  link: Pick<PoolsLink, 'fetchFile'>;
  /** Stores the state in the files. False when none of them counts. Its Run has ended. */
  take: (files: LateFiles) => boolean;
  runs: Pick<RunsService, 'findRecord'>;
  stopping: AbortSignal;
};

export type LateStates = ReturnType<typeof createLateStates>;
type End = 'stored' | 'not_wanted';

/** Most bytes of the files that a machine offers at once. */
const maxBytes = 1_073_741_824;
/** Most ends that wait for the next question of their machine. */
export const maxEnds = 100;

/**
 * Takes the states of applies that were ended without their machines. The ticket names the machine and the Run; nothing of
 * it is committed.
 */
export function createLateStates(deps: Deps) {
  const { log, jobs, folders, link, take, runs, stopping } = deps;
  const pending = new Set<string>();
  /** Ends for the next question of the machine, which may never come. Without its end a state is only fetched again. */
  const ends = new Map<string, End>();

  async function fetchAll({ row, key }: EndedJob, files: readonly RunFile[]): Promise<End> {
    const dir = path.join(jobDir(folders, row.id), 'late');
    removeTree(dir);
    makeFolder(path.dirname(dir));
    mkdirSync(dir, { mode: 0o700 });
    try {
      for (const { name, ...from } of files)
        await link.fetchFile(from, { machineId: row.machineId, key, file: path.join(dir, name), signal: stopping });
      return take({ runId: row.runId, machineId: row.machineId, dir }) ? 'stored' : 'not_wanted';
    } finally {
      removeTree(dir);
    }
  }

  function keepEnd(id: string, end: End): void {
    ends.set(id, end);
    const [oldest] = ends.keys();
    if (ends.size > maxEnds && oldest !== undefined) ends.delete(oldest);
  }

  function begin(ended: EndedJob, files: readonly RunFile[]): void {
    const { id } = ended.row;
    pending.add(id);
    fetchAll(ended, files)
      .then(
        (end) => keepEnd(id, end),
        (error: unknown) =>
          log.warn({ jobId: id, ...faultFields(error) }, 'the states of a returned machine could not be taken'),
      )
      .finally(() => pending.delete(id));
  }

  return {
    find: jobs.findEnded,
    /** Reports whether the Run of an apply still has to be ended. */
    isEarly: ({ row }: EndedJob): boolean => runs.findRecord(row.runId)?.status === 'running',
    /** Takes files. The same request is repeated until there is an end. */
    offer(ended: EndedJob, files: readonly unknown[]): End | 'pending' {
      const { id } = ended.row;
      if (pending.has(id)) return 'pending';
      const known = ends.get(id);
      if (known !== undefined) {
        ends.delete(id);
        return known;
      }
      const parsed = files.flatMap((file) => runFile.safeParse(file).data ?? []);
      const isFlat = parsed.every(({ name }) => path.basename(name) === name);
      const total = parsed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      if (parsed.length !== files.length || !isFlat || total > maxBytes) return 'not_wanted';
      begin(ended, parsed);
      return 'pending';
    },
  };
}
