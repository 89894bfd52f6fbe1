import type { Claim, HeldState, Verdict } from './link.ts';
import { holdJob, type MachineJob, type MachineJobDeps } from './machine-job.ts';
import { createTurns } from './turns.ts';

/** The jobs that a machine holds, each in one attempt. */
export type MachineJobs = ReturnType<typeof createMachineJobs>;

export function createMachineJobs(deps: Omit<MachineJobDeps, 'inTurn' | 'whenCleared'>, onVacancy: () => void) {
  const held = new Map<string, MachineJob>();
  /** Claims of jobs whose earlier attempt is not cleared yet, by job. */
  const following = new Map<string, Claim>();
  const inTurn = createTurns();
  const whenCleared = async (jobId: string): Promise<void> => held.get(jobId)?.done;

  /** Holds a job. An earlier attempt of it is void then, and is cleared first. */
  function hold(claim: Claim): void {
    const { jobId, ticket } = claim;
    const before = held.get(jobId);
    if (before?.claim.ticket === ticket || deps.stopping.aborted) return;
    if (before) {
      following.set(jobId, claim);
      before.take({ state: 'void', offset: 0, isCancelled: false });
      return;
    }
    const job = holdJob({ ...deps, inTurn, whenCleared }, claim);
    held.set(jobId, job);
    void job.done.then(() => {
      held.delete(jobId);
      const next = following.get(jobId);
      following.delete(jobId);
      if (next) hold(next);
      onVacancy();
      deps.beatSoon();
    });
  }

  return {
    hold,
    has: (jobId: string): boolean => held.has(jobId),
    size: (): number => held.size,
    /** Each resolves when nothing is left to do for a job. */
    ends: (): Promise<void>[] => [...held.values()].map(({ done }) => done),
    /** Returns what a beat says of the jobs. */
    report(): (Claim & { offset: number; state: HeldState })[] {
      const waiting = [...following.values()].map((claim) => ({ ...claim, offset: 0, state: 'working' as const }));
      return [...[...held.values()].map((job) => job.report()), ...waiting];
    },
    /** Takes what the ledger says about a job, also about one that it gives to this machine or whose claim had no answer. */
    take(verdict: Verdict): void {
      const { jobId, ticket, state } = verdict;
      const job = held.get(jobId);
      if (job?.claim.ticket === ticket) job.take(verdict);
      else if (state === 'held') hold({ jobId, ticket });
      else if (following.get(jobId)?.ticket === ticket) following.delete(jobId);
    },
  };
}
