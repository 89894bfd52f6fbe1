import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { failpointEnvironment } from '#server/kernel/failpoints';
import { supervisorEnvironment } from '../../os/environment.ts';
import { identityOf } from '../../os/process-identity.ts';
import { type Exit, spawnDetached } from '../../os/spawn.ts';
import { fifoSuffix } from './fifo-source.ts';
import type { HandedJob, Isolation, ProcessIdentity } from './job.ts';

/** A supervisor that waits, its code loaded, for the one Job it will ever get. */
export type Standby = {
  identity: ProcessIdentity | undefined;
  exited: Promise<Exit>;
  /** Gives it its Job; from here on it belongs to the Run and outlives the server. */
  give(job: HandedJob): void;
  /** Sends it away unused. */
  dismiss(): void;
  /** The last line it printed, for a start that failed. */
  lastLine(): string;
};

export type StandbyOptions = {
  standbyDir: string;
  nodePath: string;
  entry: string;
  /** Its Run will have the network of the host. */
  sharesNetwork: boolean;
  /** How its Run will have a network of its own, once that was tried. */
  isolation?: Isolation | undefined;
};

/** The argument of a supervisor that need not make a network namespace while it waits. */
export const sharedNetworkFlag = '--shared-network';
/** The argument of one that can make all of its network. */
export const isolationFlag = '--isolation=';

function networkArgv({ sharesNetwork, isolation }: StandbyOptions): string[] {
  if (sharesNetwork) return [sharedNetworkFlag];
  return isolation === undefined ? [] : [`${isolationFlag}${JSON.stringify(isolation)}`];
}

/** What supervisors that waited for an earlier server left: what they printed, which is nothing, and what they held ready. */
export function clearStandbyFiles(standbyDir: string): void {
  if (!existsSync(standbyDir)) return;
  for (const name of readdirSync(standbyDir))
    if (name.endsWith('.log') || name.endsWith(fifoSuffix)) rmSync(path.join(standbyDir, name), { force: true });
}

export async function startStandby(options: StandbyOptions): Promise<Standby> {
  const { standbyDir, nodePath, entry } = options;
  makeFolder(standbyDir);
  let log = path.join(standbyDir, `${randomUUID()}.log`);
  // Files, because a pipe to the server would end the supervisor with it.
  const descriptor = openSync(log, 'a', 0o600);
  try {
    const child = await spawnDetached({
      file: nodePath,
      argv: [entry, ...networkArgv(options)],
      env: { ...supervisorEnvironment(), ...failpointEnvironment() },
      cwd: standbyDir,
      stdio: ['pipe', descriptor, descriptor],
    });
    child.unref();
    let hasJob = false;
    void child.exited.then(() => {
      if (!hasJob) rmSync(log, { force: true });
    });
    return {
      identity: identityOf(child.pid),
      exited: child.exited,
      give(job) {
        hasJob = true;
        log = moveTo(job.runDir, log);
        child.pipes[0]?.end(JSON.stringify(job));
      },
      dismiss: () => child.pipes[0]?.end(),
      lastLine: () => readLastLine(log),
    };
  } finally {
    closeSync(descriptor);
  }
}

/** What it prints belongs to its Run; when it cannot be moved there it stays where it is. */
function moveTo(runDir: string, log: string): string {
  const target = path.join(runDir, `supervisor-${path.basename(log)}`);
  try {
    renameSync(log, target);
    return target;
  } catch {
    return log;
  }
}

function readLastLine(log: string): string {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '';
  } catch {
    return '';
  }
}
