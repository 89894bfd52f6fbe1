import { setTimeout as delay } from 'node:timers/promises';
import { isDiskFault } from '#server/kernel/disk';
import { isFailpointArmed } from '#server/kernel/failpoints';
import { trimMemory } from '#server/kernel/memory-trim';
import { parseExactly } from '#shared/kernel/exact-number';
import { busyExit, diskExit, RunnerError } from '../os/runner-error.ts';
import { findBubblewrap } from '../os/sandbox.ts';
import { findSlirp } from '../os/slirp.ts';
import type { HandedSpec, Isolation } from '../runner/contract/execution-spec.ts';
import { prepareFifos } from '../runner/contract/fifo-source.ts';
import { fifoCount } from '../runner/contract/layout.ts';
import { isolationFlag, sharedNetworkFlag } from '../runner/contract/standby.ts';
import { type Expected, prepareNetwork } from './network/preallocated-network.ts';
import { describeCrash, supervise } from './supervise.ts';
import { warmUp } from './warm-up.ts';
import { warmUpProviders, warmUpRun } from './warm-up-run.ts';

/**
 * Milliseconds without a spec before each part of the warm-up. A supervisor is started at the end of a Run, which still
 * needs the processors, and a Run that follows at once would only wait for the warm-up.
 */
const quietMs = 100;
/** Milliseconds after its warm-up at which a supervisor that still waits returns the memory that the warm-up used. */
const idleMs = 5_000;

/**
 * Supervisor of one Run: a process in its own session that outlives the server. It loads its code and waits until its
 * standard input ends; then it runs the spec that it received, or exits without one. The spec holds secrets, so it is
 * sent by a pipe and never by a file or an argument.
 */
async function main(): Promise<void> {
  process.umask(0o077);
  // A terminal or a service manager that ends the server must not end a Run with it.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGUSR2'] as const) process.on(signal, () => {});
  const preallocated = { fifos: prepareFifos(process.cwd(), fifoCount), network: prepareNetwork(expected()) };
  const arrival = new AbortController();
  // A warm-up that fails leaves its work to the Run.
  const warmedUp = warmUpAll(arrival.signal).catch(() => {});
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) {
    arrival.abort();
    chunks.push(chunk as Buffer);
  }
  arrival.abort();
  try {
    if (chunks.length > 0)
      await supervise(parseExactly(Buffer.concat(chunks).toString('utf8')) as HandedSpec, preallocated);
  } finally {
    await Promise.all([preallocated.fifos.drop(), preallocated.network.drop(), warmedUp]);
  }
}

/** Warms up until `arrival`, the signal of a spec. */
async function warmUpAll(arrival: AbortSignal): Promise<void> {
  const isWanted = () => !arrival.aborted;
  await delay(quietMs, undefined, { signal: arrival });
  await warmUp(isWanted);
  if (!isFailpointArmed) {
    await warmUpRun(process.cwd(), isWanted);
    await delay(quietMs, undefined, { signal: arrival });
    await warmUpProviders(process.cwd());
  }
  setTimeout(() => isWanted() && trimMemory(), idleMs).unref();
}

/** Returns the expected network settings: those in the arguments from the server, or defaults. */
function expected(): Expected {
  const flag = process.argv.find((argument) => argument.startsWith(isolationFlag));
  const isolation = flag === undefined ? undefined : (JSON.parse(flag.slice(isolationFlag.length)) as Isolation);
  const isShared = process.argv.includes(sharedNetworkFlag) || findSlirp() === undefined;
  return { isolation, bwrap: isShared ? undefined : findBubblewrap() };
}

function end(error: unknown): never {
  process.stderr.write(`${error instanceof RunnerError ? error.message : describeCrash(error)}\n`);
  if (isDiskFault(error)) process.exit(diskExit);
  process.exit(error instanceof RunnerError && error.code === 'busy' ? busyExit : 1);
}

// An error message can contain output of a module, and this goes to a file.
process.on('uncaughtException', end);
process.on('unhandledRejection', end);
main().then(() => process.exit(0), end);
