import { createRunKey, createTicket } from '#server/drivers/nats/index';
import { removeTree } from '#server/kernel/remove-tree';
import {
  followJournal,
  isDamage,
  jobDir,
  parseJournalRecord,
  type RunnerDriver,
  RunnerError,
} from '#server/runner/index';
import { type HeldJob, type HeldJobs, isAction } from './held-jobs.ts';
import type { PoolsLink } from './link.ts';
import { openMirror } from './mirror.ts';
import { prepareJob } from './prepare.ts';

type Deps = Omit<Parameters<typeof prepareJob>[2], 'signal'> & {
  jobs: HeldJobs;
  link: PoolsLink;
  /** Stops the preparation of jobs with the server. */
  stopping: AbortSignal;
};

/**
 * Executes jobs on the machines of pools: the machine that has claimed a Run gets its job, and its journal is followed in
 * the server's mirror. An expired lease ends a job without a permit; one with a permit is only lost when its machine or a
 * person says so.
 */
export function createRemoteDriver(deps: Deps): RunnerDriver {
  const { jobs, link, folders, stopping } = deps;

  async function prepare(held: HeldJob, job: Parameters<RunnerDriver['start']>[0]): Promise<void> {
    held.mirror.create();
    try {
      jobs.provide(held, await prepareJob(job, held, { ...deps, signal: stopping }));
    } catch (error) {
      removeTree(held.mirror.dir);
      // Its machine must not count as at work, because it never gets the job.
      jobs.drop(held);
      throw error;
    }
    // The machine of a Run waits for its input, and does not know of an action yet.
    if (isAction(held)) link.announce(held.row.machineId);
  }

  return {
    async start(job) {
      const held = jobs.find(job.id) ?? findForAction(job);
      // Machines replace the supervisors of their applies themselves.
      if (!held || job.mode === 'adopt') throw notHeld();
      await prepare(held, job);
    },
    async follow(jobId, options) {
      const mirror = openMirror(jobDir(folders, jobId));
      if (!mirror.exists()) {
        if (!jobs.isAlive(jobId)) return 'lost';
        // The machine sends everything again.
        mirror.create();
      }
      const supervisor = {
        isAlive: () => jobs.isAlive(jobId),
        onEnd: (callback: () => void) => jobs.watch(jobId, callback),
      };
      try {
        return await followJournal(mirror.dir, options, supervisor, parseJournalRecord);
      } catch (error) {
        if (isDamage(error)) endDamaged(jobId);
        throw error;
      }
    },
    isAlive: async (jobId) => jobs.isAlive(jobId),
    // What a power failure damaged was cut off when this server first saw the job, and its machine sends it again.
    truncateTornTail: async () => undefined,
    async withdraw(jobId) {
      const held = jobs.find(jobId);
      if (held && !jobs.isAlive(jobId)) release(held);
    },
    // A machine ends what is left of a job when it learns that its ticket is void.
    endLeftovers: async () => true,
    cancel(jobId) {
      const held = jobs.find(jobId);
      if (!held) return;
      // A machine that did not report after the first request cannot end the job, so the second one gives it up.
      if (held.isCancelled && held.isSilent) return jobs.lose(held);
      held.isCancelled = true;
      link.announce(held.row.machineId);
    },
  };

  /** Makes the ticket of a job void. What an apply has changed may be known only to its machine, which may bring it later. */
  function release(held: HeldJob): void {
    if (held.row.permittedAt !== null && !isAction(held)) jobs.giveUp(held);
    else jobs.drop(held);
  }

  /** Ends the wait for a machine, which would only send the same again. */
  function endDamaged(jobId: string): void {
    const held = jobs.find(jobId);
    if (!held) return;
    jobs.lose(held);
    release(held);
  }

  /** Gives an action to the machine of its Run. */
  function findForAction({ id, runId }: { id: string; runId: string }): HeldJob | undefined {
    const parent = id === runId ? undefined : jobs.find(runId);
    if (!parent) return undefined;
    const { workspaceId, machineId } = parent.row;
    return jobs.add({ id, runId, workspaceId, machineId, ticket: createTicket(), key: createRunKey() });
  }
}

const notHeld = (): RunnerError =>
  new RunnerError('not_started', 'No machine of the pool holds this Run any more; nothing was started.');
