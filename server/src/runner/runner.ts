import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDiskFault, makeFolder } from '#server/kernel/disk';
import { entryFile } from '#server/kernel/entry';
import { failpoint } from '#server/kernel/failpoints';
import { createExecuteOnlyCopies } from '../os/execute-only.ts';
import { isAlive, isOfThisBoot, signalProcess } from '../os/process-identity.ts';
import { busyExit, diskExit, RunnerError } from '../os/runner-error.ts';
import { cancelFile } from './contract/cancellation.ts';
import type { HandedJob, Isolation, Job, ToolIdentity } from './contract/job.ts';
import { journalFile, readJournal, truncateTornJournal } from './contract/journal.ts';
import { endAllLeftovers, endLeftovers } from './contract/owner.ts';
import { clearStandbyFiles, type Standby, startStandby } from './contract/standby.ts';
import { readSupervisor } from './contract/supervisor-file.ts';
import { issueTicket, withdrawTickets } from './contract/ticket.ts';
import { watchPath } from './contract/watch-path.ts';
import { type FollowOptions, followJournal, type SupervisorWatch } from './follow.ts';
import { isSupervised } from './occupancy.ts';
import { probeSandbox, type SandboxProbe } from './probe.ts';

export type RunnerOptions = {
  /** Private folder for what a waiting supervisor prints; best on the file system of the Run folders. */
  standbyDir: string;
  /** Told about what went wrong beside a Run; never a secret. */
  log?: (message: string) => void;
  /** The Node program supervisors run in; a desktop keeps its own copy, so that an update takes none from under a Run. */
  nodePath?: string;
  /** The supervisor's entry file. */
  entry?: string;
  /** Private folder for copies of the tool that can be run and not read; outside what backups read. Absent: none is made. */
  toolCopies?: string;
  /** Runs share the network of the host although they could have one of their own. */
  sharesNetwork?: boolean;
};

/** Runs Jobs in supervisors that outlive this process. */
export type Runner = {
  /** Tries the sandbox out; to be asked once at the start and after the tool has changed. */
  probe(tool?: ToolIdentity): Promise<SandboxProbe>;
  /** Starts the supervisor that waits for the next Job. */
  warm(): void;
  /** Resolves when the journal holds the `started` record of this Job. Rejects with `not_started`, `busy`, `disk_full` or the error of a disk when nothing was started. */
  start(job: Job): Promise<void>;
  /** Reads the journal to the outcome ('ended') or to where it stops without one ('lost'). */
  follow(runDir: string, options: FollowOptions): Promise<'ended' | 'lost'>;
  /** Whether the supervisor of a Run lives. */
  isAlive(runDir: string): boolean;
  /**
   * Cuts off what a power cut tore of the journal of a Run that nobody answers for any more. The length of the journal then;
   * undefined when there was none to mend.
   */
  truncateTornTail(runDir: string): number | undefined;
  /** Voids Jobs that were given and not begun. Who is not alive after this will never begin. */
  withdraw(runDir: string): void;
  /**
   * Ends what a supervisor that died has left in the folder of a Capsule; an apply that still runs is left alone. To be
   * awaited before its Run ends or is made again. True when nothing is left.
   */
  endLeftovers(capsuleDir: string): Promise<boolean>;
  /** The same in every Capsule below a folder, at a start; applies are left to those that take them over. */
  endAllLeftovers(capsulesDir: string): Promise<void>;
  /** Asks a Run to end: its tool gets one interrupt and is awaited. False when no supervisor is there to be asked. */
  cancel(runDir: string): boolean;
  /** Ends only the waiting supervisor; those with a Job go on. */
  close(): Promise<void>;
};

/** A supervisor that says nothing for this long after it got its Job is ended: it has started nothing yet. */
const startMs = 60_000;
/** Only while a Run is followed whose supervisor is not our child: no event tells the end of such a process. */
const heartbeatMs = 3_000;

const warmMs = 1_500;

export function createRunner(options: RunnerOptions): Runner {
  const { standbyDir, log = () => {}, nodePath = process.execPath, entry = entryFile('supervisor') } = options;
  clearStandbyFiles(standbyDir);
  const prober = createProber(options.sharesNetwork === true);
  const standbyOptions = () => ({ standbyDir, nodePath, entry, ...prober.networkOptions() });
  const closedTool = createClosedTool(options.toolCopies, log);
  const ends = new Map<string, Promise<unknown>>();
  let waiting: Promise<Standby> | undefined;
  let isClosed = false;
  const warm = (): void => {
    if (isClosed || waiting !== undefined) return;
    const next = startStandby(standbyOptions());
    waiting = next;
    next.then(
      ({ exited }) => exited.then(() => clearStandby(next)),
      (error: unknown) => {
        clearStandby(next);
        log(`A waiting supervisor could not be started: ${error instanceof Error ? error.message : 'unknown error'}`);
      },
    );
  };
  const clearStandby = (standby: Promise<Standby>): void => {
    if (waiting === standby) waiting = undefined;
  };
  // Loading code would take a core from the Run that has just begun, so the next one waits for its end, or a moment.
  const warmLater = (ended: Promise<unknown>): void => {
    const timer = setTimeout(warm, warmMs).unref();
    void ended.then(() => {
      clearTimeout(timer);
      warm();
    });
  };
  const take = async (): Promise<Standby> => {
    const standby = waiting ?? startStandby(standbyOptions());
    waiting = undefined;
    return standby.catch((cause: unknown) => {
      if (isDiskFault(cause)) throw diskFull(cause);
      throw new RunnerError(
        'not_started',
        'The supervisor process could not be started; check the memory and process limits of this machine.',
        { cause },
      );
    });
  };
  return {
    probe: prober.probe,
    warm,
    async start(job) {
      makeRunFolder(job.runDir);
      const standby = await take();
      const { exited } = standby;
      ends.set(job.runDir, exited);
      void exited.then(() => {
        if (ends.get(job.runDir) === exited) ends.delete(job.runDir);
      });
      warmLater(exited);
      await handOver({ ...job, ...(await closedTool(job)), ticket: issueTicket(job.runDir) }, standby);
    },
    follow: (runDir, followOptions) => followJournal(runDir, followOptions, watchSupervisor(runDir, ends.get(runDir))),
    isAlive: (runDir) => isSupervised(runDir),
    withdraw: withdrawTickets,
    endLeftovers,
    endAllLeftovers,
    truncateTornTail(runDir) {
      const identity = readSupervisor(runDir);
      if (identity !== undefined && isOfThisBoot(identity)) return undefined;
      withdrawTickets(runDir);
      return isSupervised(runDir) ? undefined : truncateTornJournal(runDir);
    },
    cancel(runDir) {
      const identity = readSupervisor(runDir);
      if (identity === undefined || !isAlive(identity)) return false;
      writeFileSync(cancelFile(runDir), '', { mode: 0o600 });
      return signalProcess(identity, 'SIGUSR2');
    },
    async close() {
      isClosed = true;
      const standby = await waiting?.catch(() => undefined);
      standby?.dismiss();
      // A waiting supervisor does not keep this process alive, so its end would never be heard without something that does.
      const hold = setInterval(() => {}, 60_000);
      await standby?.exited;
      clearInterval(hold);
    },
  };
}

/** Without a copy a Run goes on with the readable tool; the log says why. */
function createClosedTool(folder: string | undefined, log: (message: string) => void) {
  const copyOf = folder === undefined ? undefined : createExecuteOnlyCopies(folder);
  return async ({ sandbox, tool }: Job): Promise<Pick<Job, 'toolCopy'>> => {
    try {
      const toolCopy = sandbox === 'bwrap' ? await copyOf?.(tool.path) : undefined;
      return toolCopy === undefined ? {} : { toolCopy };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      log(`No execute-only copy of the tool could be made, so providers can look into it: ${reason}`);
      return {};
    }
  };
}

/** Remembers what the last probe has found of the network, which the next supervisor makes ready while it waits. */
function createProber(sharesNetwork: boolean) {
  let isolation: Isolation | undefined;
  return {
    networkOptions: () => ({ sharesNetwork, isolation }),
    async probe(tool?: ToolIdentity): Promise<SandboxProbe> {
      const result = await probeSandbox(tool, { sharesNetwork });
      isolation = result.isolation;
      return result;
    },
  };
}

/** Its supervisor makes its name durable before anything follows: a journal is lost with the name of its folder, and an apply with its journal. */
function makeRunFolder(runDir: string): void {
  makeFolder(path.dirname(runDir));
  if (!existsSync(runDir)) mkdirSync(runDir, { mode: 0o700 });
}

/** Gives the Job away and waits for the record that it was taken. */
async function handOver(job: HandedJob, standby: Standby): Promise<void> {
  const { runDir } = job;
  failpoint('handover.ticket');
  const from = readJournalEnd(runDir);
  const hasStarted = (): boolean => readJournal(runDir, from).records.some((record) => record.t === 'started');
  let timer: NodeJS.Timeout | undefined;
  let stopWatching = (): void => {};
  try {
    const verdict = await new Promise<'started' | 'ended' | 'late'>((resolve) => {
      stopWatching = watchPath({
        target: runDir,
        file: journalFile(runDir),
        onChange: () => hasStarted() && resolve('started'),
      });
      void standby.exited.then(() => resolve(hasStarted() ? 'started' : 'ended'));
      timer = setTimeout(() => resolve('late'), startMs);
      standby.give(job);
      failpoint('handover.given');
    });
    failpoint('handover.started');
    if (verdict === 'started') return;
    if (verdict === 'late' && standby.identity !== undefined) {
      signalProcess(standby.identity, 'SIGKILL');
      await standby.exited;
      if (hasStarted()) return;
    }
    const { code } = await standby.exited;
    if (code === diskExit) throw diskFull();
    const message = standby.lastLine() || 'The supervisor ended before it took the Run; nothing was started.';
    throw new RunnerError(code === busyExit ? 'busy' : 'not_started', message);
  } finally {
    clearTimeout(timer);
    stopWatching();
  }
}

const diskFull = (cause?: unknown): RunnerError =>
  new RunnerError(
    'disk_full',
    'The disk is full or takes no writes, so no supervisor could begin. Make room in the data folder and try again.',
    { cause },
  );

/** An adopting supervisor adds to the journal of the one before it. */
function readJournalEnd(runDir: string): number {
  for (let offset = 0; ; ) {
    const { nextOffset } = readJournal(runDir, offset);
    if (nextOffset === offset) return offset;
    offset = nextOffset;
  }
}

function watchSupervisor(runDir: string, exited: Promise<unknown> | undefined): SupervisorWatch {
  return {
    isAlive: () => isSupervised(runDir),
    onEnd(callback) {
      if (exited !== undefined) {
        void exited.then(callback);
        return () => {};
      }
      const timer = setInterval(() => !isSupervised(runDir) && callback(), heartbeatMs);
      return () => clearInterval(timer);
    },
  };
}
