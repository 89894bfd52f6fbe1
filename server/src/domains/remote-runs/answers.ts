import { isCapsuleRun, type RunQueue, type RunRecord, type RunsService } from '#server/domains/runs/index';
import { createRunKey, createTicket } from '#server/drivers/nats/index';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import type { HandedJob, Job, JobInput } from '#server/runner/index';
import { isApplyType } from '#shared/runs/contract';
import { type HeldJob, type HeldJobs, isAction } from './held-jobs.ts';
import { createInputWait } from './input-wait.ts';

/** A machine that asks: NATS has proved its id, and the ledger knows it as active. */
export type AskingMachine = { id: string; poolId: string };
type Claim = { jobId: string; ticket: string };
type Reported = Claim & { state: 'working' | 'lost' };

type Resumed = { handed: HandedJob; offset: number };

/** Verdict of the ledger on a job of a machine. `offset`: bytes of its journal that the server has. */
export type Verdict = Claim & {
  state: 'held' | 'ended' | 'void';
  offset: number;
  isCancelled: boolean;
  isFetching?: true;
};

type Deps = {
  db: Db;
  log: Log;
  jobs: HeldJobs;
  queue: Pick<RunQueue, 'claim'>;
  runs: Pick<RunsService, 'findRecord'>;
  /** Offers a Run again when it can start later. */
  withdrawOffer: (runId: string) => void;
  /** Builds the job of an apply that was handed over before this server started. */
  rebuildJob: (runId: string) => Promise<Job>;
  prepare: (job: Job, held: HeldJob) => Promise<JobInput>;
  /** Reports whether the action of a job has a result. */
  isActionOver: (jobId: string) => boolean;
  /** Records, in the transaction of a permit, that what it allows may have started. */
  markStarted: (jobId: string, run: RunRecord) => void;
  /** Deletes what is left of a job that is over. */
  clear: (held: HeldJob) => void;
};

export type Answers = ReturnType<typeof createAnswers>;

/** Answers machines from the ledger. Each answer that gives something away is one transaction, guarded by the ticket. */
export function createAnswers(deps: Deps) {
  const { db, jobs, queue, runs } = deps;
  const judge = createJudge(deps);
  const awaitsInput = createInputAgain(deps);
  const untilPrepared = createInputWait(jobs);

  return {
    /** Gives the Run of an offer to a machine. Undefined when it cannot start there now. */
    claim(machine: AskingMachine, runId: string): Claim | undefined {
      const run = runs.findRecord(runId);
      deps.withdrawOffer(runId);
      if (run?.status !== 'queued' || run.runnerPool !== machine.poolId) return undefined;
      const ticket = createTicket();
      const fields = { id: runId, runId, workspaceId: run.workspaceId, machineId: machine.id, ticket };
      // It is recorded with the claim, whose handler starts at once.
      let held: HeldJob | undefined;
      const record = () => {
        held = jobs.add({ ...fields, key: createRunKey() });
        // What an earlier attempt has left is not of this one, also when this server stops before it hands the job over.
        removeTree(held.mirror.dir);
      };
      try {
        return queue.claim(machine.poolId, { runId, record }) && { jobId: runId, ticket };
      } catch (error) {
        if (held) jobs.drop(held);
        throw error;
      }
    },

    /**
     * Returns what a machine needs for a job, as soon as it is prepared. `pending`: that takes longer. Undefined: the ticket
     * is void.
     */
    async resume(machineId: string, claim: Claim): Promise<Resumed | 'pending' | undefined> {
      const waiting = judge.findHeld(machineId, claim);
      if (waiting && awaitsInput(waiting)) await untilPrepared(waiting);
      const held = judge.findHeld(machineId, claim);
      if (!held) return undefined;
      jobs.noteSign(held);
      if (awaitsInput(held)) return 'pending';
      const runKey = held.key.revealBytes().toString('base64');
      return { handed: { runKey, ...(held.input && { input: held.input }) }, offset: held.mirror.length() };
    },

    /** Permits an apply or an action; after that no other machine ever gets the job. */
    permit(machineId: string, claim: Claim): { answer: 'granted' | 'refused'; held: HeldJob } | undefined {
      const held = judge.findHeld(machineId, claim);
      // What is given up may start nothing more, though its ticket is valid for a moment.
      if (!held || (held.isLost && held.row.permittedAt === null)) return undefined;
      const permittedAt = db.write(() => {
        const run = runs.findRecord(held.row.runId);
        if (run?.status !== 'running' || (isCancelled(run) && held.row.permittedAt === null)) return undefined;
        // A plan changes nothing, so that an honest machine never asks.
        if (!isAction(held) && !isApplyType(run.type)) return undefined;
        deps.markStarted(held.row.id, run);
        return jobs.permit(held);
      });
      if (permittedAt === undefined) return { answer: 'refused', held };
      jobs.notePermit(held, permittedAt);
      return { answer: 'granted', held };
    },

    /**
     * Takes the report of a machine. Returns a verdict for each job of it, also for those that it does not know.
     * `isNewest`: false for a report that arrived after a later message of the machine.
     */
    beat(machineId: string, reported: readonly Reported[], { isNewest } = { isNewest: true }): Verdict[] {
      const verdicts = reported.map((report) => {
        const verdict = judge.verdictOf(machineId, report);
        const held = verdict.state === 'held' ? jobs.findClaimed(machineId, report) : undefined;
        if (held) jobs.noteSign(held);
        if (held && report.state === 'lost') jobs.lose(held);
        return verdict;
      });
      const named = new Set(reported.map(({ jobId, ticket }) => `${jobId} ${ticket}`));
      const others = jobs.listOfMachine(machineId).filter(({ row: { id, ticket } }) => !named.has(`${id} ${ticket}`));
      for (const held of others) {
        const { id: jobId, ticket } = held.row;
        const verdict = judge.verdictOf(machineId, { jobId, ticket });
        if (verdict.state !== 'held') deps.clear(held);
        else if (held.row.permittedAt === null) {
          if (!held.isLost) verdicts.push(verdict);
        }
        // A machine names what it was permitted until it knows of the end, so this one has lost it, and must not start it again.
        else if (isNewest) jobs.lose(held);
      }
      return verdicts;
    },
  };
}

/** Codes of errors that say that a file is not on this server: an archive, or what a plan has left. */
const absenceCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'input_missing']);
const isCancelled = (run: RunRecord): boolean => isCapsuleRun(run) && run.input.cancelledBy !== undefined;

/** Decides from the ledger what became of the jobs of machines. */
function createJudge({ jobs, runs, isActionOver }: Deps) {
  function stateOf(held: HeldJob): Verdict['state'] {
    const status = runs.findRecord(held.row.runId)?.status;
    if (status === 'queued' || status === undefined) return 'void';
    if (status !== 'running' || (isAction(held) && isActionOver(held.row.id))) return 'ended';
    return 'held';
  }

  return {
    stateOf,
    /** Returns the attempt of a ticket that still counts. */
    findHeld(machineId: string, claim: Claim): HeldJob | undefined {
      const held = jobs.findClaimed(machineId, claim);
      return held && stateOf(held) === 'held' ? held : undefined;
    },
    verdictOf(machineId: string, claim: Claim): Verdict {
      const { jobId, ticket } = claim;
      const held = jobs.findClaimed(machineId, claim);
      const state = held ? stateOf(held) : 'void';
      const run = held && runs.findRecord(held.row.runId);
      if (!held || !run || state !== 'held') return { jobId, ticket, state, offset: 0, isCancelled: false };
      const isFetching = held.isFetching && { isFetching: true as const };
      return { jobId, ticket, state, offset: held.mirror.length(), isCancelled: isCancelled(run), ...isFetching };
    },
  };
}

/**
 * Prepares the input of applies again that this server has lost with its memory. Returns whether a job gets input that it
 * does not have yet.
 */
function createInputAgain({ log, jobs, runs, rebuildJob, prepare }: Deps): (held: HeldJob) => boolean {
  const preparing = new Set<string>();
  /** Jobs whose files are not on this server, because another one began them. */
  const withoutFiles = new Set<string>();

  async function prepareAgain(held: HeldJob): Promise<void> {
    const { id, runId } = held.row;
    if (preparing.has(id)) return;
    preparing.add(id);
    try {
      jobs.provide(held, await prepare(await rebuildJob(runId), held));
    } catch (error) {
      if (absenceCodes.has((error as { code?: unknown }).code)) withoutFiles.add(id);
      log.warn({ runId, ...faultFields(error) }, 'a job could not be prepared again');
    } finally {
      preparing.delete(id);
      jobs.notify(id);
    }
  }

  return (held) => {
    if (held.input) return false;
    // A job that was never handed over is prepared by the handler of its Run, after what comes first.
    if (!held.isRestored || !held.mirror.exists()) return true;
    // Its machine carries on what it has started, and gives back what it has not.
    if (withoutFiles.has(held.row.id)) return false;
    const run = runs.findRecord(held.row.runId);
    if (!run || isAction(held) || !isApplyType(run.type)) return false;
    void prepareAgain(held);
    return true;
  };
}
