import type { Job } from './contract/job.ts';
import { capsuleDir, createSpec, type Folders, jobDir, type Placement } from './contract/placement.ts';
import type { FollowOptions } from './follow.ts';
import type { Runner } from './runner.ts';

/** Executes jobs on one machine or on several. A job is named by its id, so that a caller knows no folder of another machine. */
export type RunnerDriver = {
  /**
   * Resolves when the journal of the job holds its `started` record. Rejects with `not_started`, `busy`, `disk_full` or
   * the error of a disk when nothing was started.
   */
  start(job: Job): Promise<void>;
  /** Reads the journal to the outcome ('ended') or to where it stops without one ('lost'). */
  follow(jobId: string, options: FollowOptions): Promise<'ended' | 'lost'>;
  /** Reports whether a supervisor works on the job. */
  isAlive(jobId: string): Promise<boolean>;
  /**
   * Truncates the damage of a power cut in the journal of a job without a supervisor. Returns the length of the journal;
   * undefined when nothing was repaired.
   */
  truncateTornTail(jobId: string): Promise<number | undefined>;
  /** Invalidates what was handed over and not started. A supervisor that is not alive after this will never start the job. */
  withdraw(jobId: string): Promise<void>;
  /** Ends leftover processes of a dead supervisor of the job; a running apply is not touched. Returns true when nothing is left. */
  endLeftovers(job: Pick<Job, 'id' | 'capsuleId'>): Promise<boolean>;
  /** Requests the end of a job: its tool gets one interrupt and is awaited. Does nothing when no supervisor works on it. */
  cancel(jobId: string): void;
};

type Deps = {
  runner: Runner;
  folders: Folders;
  /** Returns the tool and isolation of this machine. Rejects when it has none. */
  findMachine: () => Promise<Pick<Placement, 'tool' | 'sandbox' | 'isolation'>>;
};

/** Executes jobs on the machine of this process. */
export function createLocalDriver({ runner, folders, findMachine }: Deps): RunnerDriver {
  const dirOf = (jobId: string) => jobDir(folders, jobId);
  return {
    start: async (job) => runner.start(createSpec(job, { folders, ...(await findMachine()) })),
    follow: (jobId, options) => runner.follow(dirOf(jobId), options),
    isAlive: async (jobId) => runner.isAlive(dirOf(jobId)),
    truncateTornTail: async (jobId) => runner.truncateTornTail(dirOf(jobId)),
    withdraw: async (jobId) => runner.withdraw(dirOf(jobId)),
    endLeftovers: (job) => runner.endLeftovers(capsuleDir(folders, job.capsuleId)),
    cancel: (jobId) => void runner.cancel(dirOf(jobId)),
  };
}
