import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDiskFault, makeFolder } from '#server/kernel/disk';
import { entryFile } from '#server/kernel/entry';
import { failpoint } from '#server/kernel/failpoints';
import { findRunRefusal } from '#server/kernel/platforms';
import { createExecuteOnlyCopies } from '../os/execute-only.ts';
import { isAlive, isOfThisBoot, signalProcess } from '../os/process-identity.ts';
import { busyExit, diskExit, RunnerError } from '../os/runner-error.ts';
import { cancelFile } from './contract/cancellation.ts';
import type { ExecutionSpec, HandedSpec, Isolation, ToolIdentity } from './contract/execution-spec.ts';
import { journalFile, readJournal, truncateTornJournal } from './contract/journal.ts';
import { endAllLeftovers, endLeftovers } from './contract/owner.ts';
import { clearStandbyFiles, codeFolderIn, type Standby, startStandby } from './contract/standby.ts';
import { readSupervisor } from './contract/supervisor-file.ts';
import { issueTicket, withdrawTickets } from './contract/ticket.ts';
import { watchPath } from './contract/watch-path.ts';
import { type FollowOptions, followJournal, type SupervisorWatch } from './follow.ts';
import { isSupervised } from './occupancy.ts';
import { probeSandbox, type SandboxProbe } from './probe.ts';
import { createStandbyPool } from './standby-pool.ts';

export type RunnerOptions = {
  /** Private folder for the logs of waiting supervisors; best on the file system of the Run folders. */
  standbyDir: string;
  /** Receives messages about problems outside a Run; never a secret. */
  log?: (message: string) => void;
  /** Path of the Node program for supervisors. A desktop keeps its own copy, so that an update does not remove it during a Run. */
  nodePath?: string;
  /** Path of the supervisor's entry file. */
  entry?: string;
  /** Private folder for execute-only copies of the tool, outside backups. Absent: no copy is made. */
  toolCopies?: string;
  /** True when Runs share the network of the host although an isolated one is possible. */
  sharesNetwork?: boolean;
  platform?: NodeJS.Platform;
};

/** Runs specs in supervisors that outlive this process. */
export type Runner = {
  /** Tries out the sandbox; call it once at the start and after the tool has changed. */
  probe(tool?: ToolIdentity): Promise<SandboxProbe>;
  /** Starts the supervisor that waits for the next spec. */
  warm(): void;
  /**
   * Resolves when the journal holds the `started` record of this spec. Rejects with `not_started`, `busy`, `disk_full`
   * or the error of a disk when nothing was started.
   */
  start(spec: ExecutionSpec): Promise<void>;
  /** Reads the journal to the outcome ('ended') or to where it stops without one ('lost'). */
  follow(runDir: string, options: Omit<FollowOptions, 'onToolEnd'>): Promise<'ended' | 'lost'>;
  /** Reports whether the supervisor of a Run is alive. */
  isAlive(runDir: string): boolean;
  /**
   * Truncates the damage of a power cut in the journal of a Run without a supervisor. Returns the length of the
   * journal; undefined when nothing was repaired.
   */
  truncateTornTail(runDir: string): number | undefined;
  /** Invalidates specs that were sent and not started. A supervisor that is not alive after this will never start one. */
  withdraw(runDir: string): void;
  /**
   * Ends leftover processes of a dead supervisor in the folder of a Capsule; a running apply is not touched. Await it
   * before its Run ends or is repeated. Returns true when nothing is left.
   */
  endLeftovers(capsuleDir: string): Promise<boolean>;
  /** Ends leftover processes of all Capsules below a folder, at a start; applies are left to their adopters. */
  endAllLeftovers(capsulesDir: string): Promise<void>;
  /** Requests the end of a Run: its tool gets one interrupt and is awaited. Returns false when no supervisor is alive. */
  cancel(runDir: string): boolean;
  /** Ends only the waiting supervisor; those with a spec continue. */
  close(): Promise<void>;
};

/** Milliseconds after which a supervisor without a record for its spec is ended: it has started nothing yet. */
const startMs = 60_000;
/** Poll interval while a Run is followed whose supervisor is not our child, because no event reports the end of such a process. */
const heartbeatMs = 3_000;

export function createRunner(options: RunnerOptions): Runner {
  const { standbyDir, log = () => {}, nodePath = process.execPath, entry = entryFile('supervisor') } = options;
  clearStandbyFiles(standbyDir);
  const codeDir = codeFolderIn(standbyDir);
  const prober = createProber(options.sharesNetwork === true);
  const standbys = createStandbyPool({
    start: () => startStandby({ standbyDir, codeDir, nodePath, entry, ...prober.networkOptions() }),
    log,
  });
  const closedTool = createClosedTool(options.toolCopies, log);
  const ends = new Map<string, Promise<unknown>>();
  const refusal = findRunRefusal(options.platform);
  const warm = refusal === undefined ? standbys.warm : () => {};
  return {
    probe: prober.probe,
    warm,
    async start(spec) {
      if (refusal !== undefined) throw new RunnerError('not_started', refusal);
      makeRunFolder(spec.runDir);
      const standby = await standbys.take().catch(cannotStart);
      const { exited } = standby;
      ends.set(spec.runDir, exited);
      void exited.then(() => {
        if (ends.get(spec.runDir) === exited) ends.delete(spec.runDir);
      });
      standbys.warmLater(exited);
      await handOver({ ...spec, ...(await closedTool(spec)), ticket: issueTicket(spec.runDir) }, standby);
    },
    follow(runDir, options) {
      // The next Run often follows at once, and the end of this one leaves a processor idle.
      const onToolEnd = warm;
      return followJournal(runDir, { ...options, onToolEnd }, watchSupervisor(runDir, ends.get(runDir)));
    },
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
    close: standbys.close,
  };
}

/** Copies the tool execute-only. Without a copy a Run uses the readable tool; the log says why. */
function createClosedTool(folder: string | undefined, log: (message: string) => void) {
  const copyOf = folder === undefined ? undefined : createExecuteOnlyCopies(folder);
  return async ({ sandbox, tool }: ExecutionSpec): Promise<Pick<ExecutionSpec, 'toolCopy'>> => {
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

/** Stores the network that the last probe found, which the next supervisor prepares while it waits. */
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

/**
 * Creates the folder of a Run. Its supervisor makes the name durable before anything else: a journal is lost with the
 * name of its folder, and an apply with its journal.
 */
function makeRunFolder(runDir: string): void {
  makeFolder(path.dirname(runDir));
  if (!existsSync(runDir)) mkdirSync(runDir, { mode: 0o700 });
}

/** Sends the spec and waits for the record that it was taken. */
async function handOver(spec: HandedSpec, standby: Standby): Promise<void> {
  const { runDir } = spec;
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
      standby.give(spec);
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

function cannotStart(cause: unknown): never {
  if (isDiskFault(cause)) throw diskFull(cause);
  throw new RunnerError(
    'not_started',
    'The supervisor process could not be started; check the memory and process limits of this machine.',
    { cause },
  );
}

const diskFull = (cause?: unknown): RunnerError =>
  new RunnerError(
    'disk_full',
    'The disk is full or cannot be written, so no supervisor could start. Free some space in the data folder and try again.',
    { cause },
  );

/** An adopting supervisor appends to the journal of the previous one. */
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
