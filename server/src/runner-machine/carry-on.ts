import { setTimeout as sleep } from 'node:timers/promises';
import { faultFields, type Log } from '#server/kernel/log';
import { readPermission } from '../runner/contract/permission.ts';
import { filesNamedBy } from '../runner/contract/remote/run-files.ts';
import type { Folders, Job } from '../runner/index.ts';
import { fetchJob } from './fetch-job.ts';
import type { Handed, MachineLink } from './link.ts';
import { persistFor } from './persist.ts';
import type { Sender } from './sender.ts';
import type { Stall } from './stall.ts';
import type { Supervision } from './supervision.ts';
import { keepWorkedState } from './worked-state.ts';

type Deps = {
  link: MachineLink;
  folders: Folders;
  log: Log;
  whenCleared: (jobId: string) => Promise<void>;
};
type JobContext = {
  deps: Deps;
  jobId: string;
  runDir: string;
  supervision: Supervision;
  handed: Handed;
  sender: Sender;
  stall: Stall;
  signal: AbortSignal;
};

/** Number of supervisors that are started for an apply whose supervisor was lost. */
const maxTakeovers = 3;
const pauseMs = 1_000;
/** Time for which the files of a takeover may be out of reach, such as during an update of NATS. */
const refetchMs = 600_000;

/**
 * Carries a job on until its journal has an outcome. False when it has none: an apply that may have started is taken over;
 * any other job is given back, also an action that may have started, whose command is never repeated.
 */
export async function carryOn(context: JobContext, wasStarted: boolean): Promise<boolean> {
  const { runDir, supervision, handed, sender, signal } = context;
  const following = {
    // From its start: the server may have a part of a line, and a promoted one has nothing, so that it gets every file again.
    fromOffset: 0,
    signal,
    onRecords: (records: Parameters<typeof filesNamedBy>[0][], next: number) =>
      sender.extend(next, records.flatMap(filesNamedBy)),
  };
  if (!wasStarted && !(await startFirst(context))) return false;
  for (let takeovers = 0; !(await supervision.follow(following)); takeovers += 1) {
    if (readPermission(runDir) !== 'granted') return false;
    const job = handed.job.input
      ? await persistFor(() => fetchInput(context), refetchMs, signal)
      : await fetchInput(context);
    if (isAction(job)) return false;
    // What an apply has done is unknown while its tool works, so that it is not conceded before.
    if (takeovers >= maxTakeovers && (await supervision.endLeftovers())) return concede(context, job);
    await takeOver(context, job, Math.min(takeovers, maxTakeovers) * pauseMs);
  }
  return true;
}

const isAction = ({ operation }: Job): boolean => operation === 'action';
const fetchInput = ({ deps, handed, signal }: JobContext): Promise<Job> => fetchJob(handed.job, { ...deps, signal });

/** Starts a job that no supervisor has taken yet. False for what may have started and cannot be taken over. */
async function startFirst(context: JobContext): Promise<boolean> {
  // What was permitted may have started, whatever the journal says, and then it is only taken over.
  const mode = readPermission(context.runDir) === 'granted' ? 'adopt' : 'run';
  const job = await fetchInput(context);
  if (mode === 'adopt' && isAction(job)) return false;
  await context.supervision.start(job, mode, context.signal);
  return true;
}

async function takeOver({ deps, jobId, supervision, signal }: JobContext, job: Job, afterMs: number): Promise<void> {
  await sleep(afterMs, undefined, { signal });
  await supervision
    .start(job, 'adopt', signal)
    .catch((error: unknown) => deps.log.warn({ jobId, ...faultFields(error) }, 'no takeover'));
}

/** Sends the state that the tool worked on, and waits until the server has it. */
async function concede({ deps, runDir, sender, stall, signal }: JobContext, job: Job): Promise<false> {
  const saved = keepWorkedState(job, { runDir, folders: deps.folders });
  if (!saved) return false;
  sender.extend(saved.end, [saved.name]);
  while (stall.arrived < saved.end) await sleep(pauseMs, undefined, { signal });
  return false;
}
