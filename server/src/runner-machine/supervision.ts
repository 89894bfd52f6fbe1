import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { journalFile } from '../runner/contract/journal.ts';
import { findFolderOf } from '../runner/contract/owner.ts';
import {
  createSpec,
  type Folders,
  type Job,
  type JournalRecord,
  jobDir,
  type Placement,
  type Runner,
  RunnerError,
} from '../runner/index.ts';

export type SupervisionDeps = {
  runner: Runner;
  folders: Folders;
  /** Returns tool and isolation of this machine. */
  findMachine: () => Promise<Pick<Placement, 'tool' | 'sandbox' | 'isolation'>>;
};

type Following = {
  fromOffset: number;
  onRecords: (records: JournalRecord[], nextOffset: number) => void;
  signal: AbortSignal;
};

/** Pause while another supervisor works in the folder of the Capsule. */
const busyPauseMs = 1_000;

export type Supervision = ReturnType<typeof createSupervision>;

/** The supervisors of one job on this machine. */
export function createSupervision({ runner, folders, findMachine }: SupervisionDeps, jobId: string) {
  const runDir = jobDir(folders, jobId);
  const followOnce = (following: Following) => runner.follow(runDir, following);

  return {
    /** Reports whether a supervisor has taken the job, now or before this process started. */
    wasStarted(): boolean {
      if (runner.isAlive(runDir)) return true;
      runner.truncateTornTail(runDir);
      return (statSync(journalFile(runDir), { throwIfNoEntry: false })?.size ?? 0) > 0;
    },

    /** Gives the job to a supervisor. Resolves when one has taken it; rejects when nothing was started. */
    async start(job: Job, mode: Job['mode'], signal: AbortSignal): Promise<void> {
      const spec = createSpec({ ...job, mode }, { folders, ...(await findMachine()), asksPermission: true });
      for (;;) {
        try {
          return await runner.start(spec);
        } catch (error) {
          if (runner.isAlive(runDir)) return;
          if (!(error instanceof RunnerError) || error.code !== 'busy') throw error;
          await sleep(busyPauseMs, undefined, { signal });
        }
      }
    },

    /** Follows until the journal has an outcome. False when no supervisor is left that could write one. */
    async follow(following: Following): Promise<boolean> {
      do {
        if ((await followOnce(following)) === 'ended') return true;
        runner.withdraw(runDir);
      } while (runner.isAlive(runDir));
      // One may have started since and died again.
      return (await followOnce(following)) === 'ended';
    },

    /** Ends leftover processes of the job. Returns false while a supervisor works, or a tool still applies. */
    async endLeftovers(): Promise<boolean> {
      const folder = findFolderOf(folders.capsules, jobId);
      return folder === undefined || runner.endLeftovers(folder);
    },

    cancel: (): void => void runner.cancel(runDir),

    /** Ends what still runs, and resolves when it has ended. */
    async end(signal: AbortSignal): Promise<void> {
      runner.withdraw(runDir);
      if (runner.cancel(runDir)) await followOnce({ fromOffset: 0, onRecords: () => {}, signal });
    },
  };
}
