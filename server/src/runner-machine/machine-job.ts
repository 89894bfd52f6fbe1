import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '#server/kernel/disk';
import { faultFields, type Log } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import { whenAborted } from '#server/kernel/until-aborted';
import { readPermission } from '../runner/contract/permission.ts';
import { jobDir } from '../runner/index.ts';
import { carryOn } from './carry-on.ts';
import { isOwnFolder, writeClaim } from './claim-file.ts';
import { bringLateStates } from './late-states.ts';
import type { Claim, Handed, HeldState, MachineLink, Verdict } from './link.ts';
import { passPermission } from './permission-relay.ts';
import { persist } from './persist.ts';
import { createSender, type Sender } from './sender.ts';
import { createStall, type Stall } from './stall.ts';
import { createSupervision, type Supervision, type SupervisionDeps } from './supervision.ts';
import type { Turns } from './turns.ts';

export type MachineJobDeps = SupervisionDeps & {
  link: MachineLink;
  log: Log;
  /** Turns of the Runs of this machine to send files. */
  inTurn: Turns;
  /** Sends a beat at once. */
  beatSoon: () => void;
  /** Resolves when this machine does not hold the job, whose folder it deletes at its end. */
  whenCleared: (jobId: string) => Promise<void>;
  /** Stops this process; supervisors continue. */
  stopping: AbortSignal;
};

/** A job that this machine holds, until the ledger has its end. */
export type MachineJob = {
  readonly claim: Claim;
  report(): Claim & { offset: number; state: HeldState };
  /** Takes what the ledger says about it. */
  take(verdict: Omit<Verdict, keyof Claim>): void;
  /** Resolves when nothing is left to do for it here. Never rejects. */
  readonly done: Promise<void>;
};

const pauseMs = 1_000;

/** Holds a job: fetches it, gives it to a supervisor, sends its journal, and removes its files at the end. */
export function holdJob(deps: MachineJobDeps, claim: Claim): MachineJob {
  const { log, stopping } = deps;
  const runDir = jobDir(deps.folders, claim.jobId);
  const over = new AbortController();
  const signal = AbortSignal.any([stopping, over.signal]);
  const stall = createStall();
  const supervision = createSupervision(deps, claim.jobId);
  const course = createCourse({ deps, claim, runDir, supervision, signal, stall });
  let end: 'ended' | 'void' | undefined;
  let state: HeldState = 'working';

  /** Reports the job as lost, as soon as nothing works for it here any more. */
  async function giveUp(error?: unknown): Promise<void> {
    if (signal.aborted) return;
    if (error !== undefined) log.warn({ jobId: claim.jobId, ...faultFields(error) }, 'a Run could not be carried on');
    while (!signal.aborted && !(await supervision.endLeftovers()))
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    state = 'lost';
    deps.beatSoon();
  }
  const finish = (verdict: 'ended' | 'void'): void => {
    end ??= verdict;
    over.abort();
  };

  /** Ends what still runs here for a job that is over, or no longer this machine's. */
  async function clear(): Promise<void> {
    if (stopping.aborted) return;
    await supervision.end(stopping);
    // What a permitted apply has done may be known only here, until the server has it.
    const isOnlyHere = end === 'void' && readPermission(runDir) === 'granted';
    if (!isOnlyHere || (await bringLateStates(deps, { claim, runDir }))) removeTree(runDir);
  }

  const done = course
    .run()
    .then((result) => (result === 'void' ? finish('void') : giveUp()), giveUp)
    .then(() => whenAborted(signal))
    .then(clear)
    .catch((error: unknown) => log.error({ jobId: claim.jobId, ...faultFields(error) }, 'a Run could not be cleared'));

  return {
    claim,
    report: () => ({ ...claim, offset: course.sender?.offset ?? 0, state }),
    take(verdict) {
      if (verdict.state !== 'held') return finish(verdict.state);
      if (verdict.isCancelled) supervision.cancel();
      const { sender } = course;
      if (sender && stall.isStuck(verdict.offset, sender.offset, verdict.isFetching)) sender.goBack(verdict.offset);
    },
    done,
  };
}

type CourseInput = {
  deps: MachineJobDeps;
  claim: Claim;
  runDir: string;
  supervision: Supervision;
  signal: AbortSignal;
  stall: Stall;
};

/** Removes what an earlier attempt of the job has left, whose ticket is void. */
async function removeEarlier(
  supervision: CourseInput['supervision'],
  { runDir, signal }: Pick<CourseInput, 'runDir' | 'signal'>,
): Promise<void> {
  await supervision.end(signal);
  removeTree(runDir);
}

/** The way of a job from its claim to the end of its journal. */
function createCourse({ deps, claim, runDir, supervision, signal, stall }: CourseInput) {
  const { link, inTurn, folders, log } = deps;
  const course = {
    sender: undefined as Sender | undefined,

    /** Resolves when the job is over ('void') or no supervisor can conclude it ('lost'). */
    async run(): Promise<'void' | 'lost'> {
      makeFolder(folders.runs);
      if (!isOwnFolder(folders.runs, claim)) await removeEarlier(supervision, { runDir, signal });
      const wasStarted = supervision.wasStarted();
      mkdirSync(runDir, { recursive: true, mode: 0o700 });
      writeClaim(runDir, claim);
      const handed = await fetchHanded();
      if (!handed) return 'void';
      const key = Buffer.from(handed.job.runKey, 'base64');
      const onFault = (error: unknown): void =>
        log.warn({ jobId: claim.jobId, ...faultFields(error) }, 'the log of a Run cannot be sent, and is sent again');
      const sender = createSender({ link, inTurn, claim, key, runDir, offset: handed.offset, signal, onFault });
      course.sender = sender;
      // A supervisor that has ended no longer waits for an answer, which would count as given.
      const concluded = new AbortController();
      const asking = { link, claim, key, runDir, signal: AbortSignal.any([signal, concluded.signal]) };
      const background = Promise.all([passPermission(asking), sender.run()]);
      // Its failure counts when it is awaited, and must not end the process before.
      background.catch(() => {});
      const isConcluded = await carryOn(
        { deps, jobId: claim.jobId, runDir, supervision, signal, stall, handed, sender },
        wasStarted,
      );
      concluded.abort();
      if (!isConcluded) return 'lost';
      await background;
      return 'void';
    },
  };

  async function fetchHanded(): Promise<Handed | undefined> {
    for (;;) {
      const answer = await persist(() => link.resume(claim), signal);
      if (answer !== 'pending') return answer;
      await sleep(pauseMs, undefined, { signal });
    }
  }

  return course;
}
