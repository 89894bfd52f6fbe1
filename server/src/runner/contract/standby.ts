import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#server/kernel/disk';
import { productVersion } from '#server/kernel/entry';
import { failpointEnvironment } from '#server/kernel/failpoints';
import { supervisorEnvironment } from '../../os/environment.ts';
import { identityOf } from '../../os/process-identity.ts';
import { type Exit, spawnDetached } from '../../os/spawn.ts';
import type { HandedSpec, Isolation, ProcessIdentity } from './execution-spec.ts';
import { fifoSuffix } from './fifo-source.ts';

/** A supervisor with loaded code that waits for its only spec. */
export type Standby = {
  identity: ProcessIdentity | undefined;
  exited: Promise<Exit>;
  /** Sends it its spec; from then on it belongs to the Run and outlives the server. */
  give(spec: HandedSpec): void;
  /** Ends it unused. */
  dismiss(): void;
  /** Returns the last line it printed, for the error of a failed start. */
  lastLine(): string;
};

type StandbyOptions = {
  standbyDir: string;
  /** Folder of its compiled code. */
  codeDir: string;
  nodePath: string;
  entry: string;
  /** True when its Run shares the network of the host. */
  sharesNetwork: boolean;
  /** Network isolation of its Run, once probed. */
  isolation?: Isolation | undefined;
};

/** Argument of a supervisor that need not create a network namespace while it waits. */
export const sharedNetworkFlag = '--shared-network';
/** Argument of a supervisor that can set up the whole network. */
export const isolationFlag = '--isolation=';

function networkArgv({ sharesNetwork, isolation }: StandbyOptions): string[] {
  if (sharesNetwork) return [sharedNetworkFlag];
  return isolation === undefined ? [] : [`${isolationFlag}${JSON.stringify(isolation)}`];
}

/** Returns the folder of the compiled code of this version, in which a supervisor finds its code as an earlier one has compiled it. */
export const codeFolderIn = (standbyDir: string): string => path.join(standbyDir, 'code', productVersion());

/**
 * Removes files of waiting supervisors of an earlier server: their empty logs, preallocated files, and the compiled code
 * of another version.
 */
export function clearStandbyFiles(standbyDir: string): void {
  if (!existsSync(standbyDir)) return;
  for (const name of readdirSync(standbyDir))
    if (name.endsWith('.log') || name.endsWith(fifoSuffix)) rmSync(path.join(standbyDir, name), { force: true });
  const { dir: versions, base: current } = path.parse(codeFolderIn(standbyDir));
  if (!existsSync(versions)) return;
  for (const name of readdirSync(versions))
    if (name !== current) rmSync(path.join(versions, name), { recursive: true, force: true });
}

/**
 * Size in MiB of each half of the young generation. A Run creates some 10 MiB of short-lived objects, so it ends before
 * V8 collects them, which takes time of a core that the tool needs. A flag such as `--expose-gc` would
 * make Node compile its own modules at each start, because their stored code is for other flags.
 */
const youngGeneration = '--min-semi-space-size=16';

export async function startStandby(options: StandbyOptions): Promise<Standby> {
  const { standbyDir, codeDir, nodePath, entry } = options;
  makeFolder(standbyDir);
  let log = path.join(standbyDir, `${randomUUID()}.log`);
  // Files, because the end of a pipe to the server would end the supervisor too.
  const descriptor = openSync(log, 'a', 0o600);
  try {
    const child = await spawnDetached({
      file: nodePath,
      argv: [youngGeneration, entry, ...networkArgv(options)],
      env: { ...supervisorEnvironment(), ...failpointEnvironment(), NODE_COMPILE_CACHE: codeDir },
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
      give(spec) {
        hasJob = true;
        log = moveTo(spec.runDir, log);
        child.pipes[0]?.end(JSON.stringify(spec));
      },
      dismiss: () => child.pipes[0]?.end(),
      lastLine: () => readLastLine(log),
    };
  } finally {
    closeSync(descriptor);
  }
}

/** Moves its log to the folder of its Run; the log stays where it is when it cannot be moved. */
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
